// The program that runs the vectors against one fault after another, restarted when a fault ends it.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { environment } from "../environment.mjs";
import { Problem } from "../task.mjs";

/**
 * A runner counts as hung if it is silent for this long and for as long as all tests took together: a test takes
 * some tenths of a second on an idle machine.
 */
const SILENCE_MILLISECONDS = 30_000;

/** Time for reading the vectors and running them once, on a busy machine. */
const START_MILLISECONDS = 300_000;

/** The memory limit of a runner, in KiB, where the system supports one: a fault may allocate for ever. */
const MEMORY_KIB = 4 << 20;

/** Runners to stop when the script is stopped. */
const running = new Set();

export class Runner {
  #command;
  #silence;
  #limit;
  #child;
  #lines;

  constructor(program, vectors, { silence = SILENCE_MILLISECONDS, memory = MEMORY_KIB } = {}) {
    const limited = `ulimit -v ${memory} 2>/dev/null; exec "$0" "$@"`;
    this.#command = ["sh", ["-c", limited, program, vectors]];
    this.#silence = silence;
  }

  /**
   * The outcome of a fault: `survived`, `unreached` (no test runs its line), or, if caught, `killed`, `panicked`,
   * `hung` or `crashed`. `test` is the test that caught it.
   */
  async attempt({ id, place }) {
    if (this.#child === undefined) await this.#start();
    this.#child.stdin.write(`${id} ${place}\n`);
    for (;;) {
      const line = await this.#next(this.#limit);
      if (line === ".") continue;
      if (typeof line !== "string") {
        this.stop();
        return { result: line === LATE ? "hung" : "crashed" };
      }
      const [, found, result, , test] = /^(\d+) (\w+) (\d+) ?(.*)$/.exec(line) ?? [];
      if (Number(found) !== id) throw new Problem(`The runner answered ${line}, not about ${id}.`);
      return test ? { result, test } : { result };
    }
  }

  stop() {
    this.#child?.kill("SIGKILL");
    running.delete(this.#child);
    this.#child = undefined;
  }

  async #start() {
    const [command, args] = this.#command;
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], env: environment });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (errors = (errors + text).slice(-2000)));
    // The end of the output shows that a runner has ended.
    child.stdin.on("error", () => {});
    running.add(child);
    this.#child = child;
    this.#lines = lines(child);
    const start = Date.now();
    const ready = await this.#next(START_MILLISECONDS);
    if (typeof ready !== "string" || !ready.startsWith("ready ")) {
      this.stop();
      throw new Problem(`The vectors fail even without a fault.\n${errors}`);
    }
    this.#limit = Math.max(this.#silence, Date.now() - start);
  }

  /** The next line; `LATE` if none comes in time, `undefined` if there are no more. */
  async #next(limit) {
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, limit, { value: LATE });
    });
    const { value } = await Promise.race([this.#lines.next(), late]);
    clearTimeout(timer);
    return value;
  }
}

const LATE = Symbol("late");

const lines = (child) => createInterface({ input: child.stdout })[Symbol.asyncIterator]();

process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));
