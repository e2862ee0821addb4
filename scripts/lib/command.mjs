// Running other programs.

import { spawn, spawnSync } from "node:child_process";

import { environment } from "./environment.mjs";
import { root } from "./paths.mjs";
import { duration, live } from "./terminal.mjs";

const LIMIT_MILLISECONDS = 80 * 60_000;
const running = new Set();

/** A program that did not exit with 0. */
export class CommandFailed extends Error {}

/**
 * Runs a program to its end; `onData` gets everything that it prints. The program's input is empty.
 *
 * Throws `CommandFailed` when it cannot be started, fails, or is stopped after `limit`
 * milliseconds.
 */
export function run(command, args, { cwd = root, env = {}, limit = LIMIT_MILLISECONDS, onData }) {
  const line = [command, ...args].join(" ");
  return new Promise((resolve, reject) => {
    // A process group of its own, so that stopping it also stops its children.
    const child = spawn(command, args, {
      cwd,
      env: { ...environment, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    running.add(child);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      stop(child);
    }, limit);
    child.stdout.setEncoding("utf8").on("data", onData);
    child.stderr.setEncoding("utf8").on("data", onData);
    const fail = (why) => reject(new CommandFailed(`${line}: ${why}`));
    child.on("error", (error) => finish(() => fail(error.message)));
    child.on("close", (code, signal) =>
      finish(() => {
        if (late) fail(`stopped after ${duration(limit)}`);
        else if (code !== 0) fail(signal ? `killed by ${signal}` : `exit code ${code}`);
        else resolve();
      }),
    );
    function finish(settle) {
      clearTimeout(timer);
      running.delete(child);
      settle();
    }
  });
}

/** The output of a program, or `undefined` if it is missing or fails. Only for programs that end quickly. */
export function ask(command, ...args) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 60_000,
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** Runs a program on the caller's terminal and returns its exit code. */
export function hand(command, args, { cwd = root, env = {} } = {}) {
  const options = { cwd, env: { ...environment, ...env }, stdio: "inherit" };
  const { status, error } = spawnSync(command, args, options);
  if (error) throw new CommandFailed(`${command}: ${error.message}`);
  return status ?? 1;
}

function stop(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

process.on("exit", () => running.forEach(stop));
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
for (const [signal, code] of Object.entries(signals)) {
  process.on(signal, () => {
    if (live) process.stdout.write("\n");
    process.exit(code);
  });
}
