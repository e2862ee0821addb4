// Runs the node's program, which must not outlive this one.

import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";

import { environment } from "./environment.mjs";
import { node as program } from "./paths.mjs";

// Each node has a listener that ends it at the exit of this program.
process.setMaxListeners(100);

/**
 * Runs the node until `signal` ends it, and writes its log to a file that is opened with `flags`.
 *
 * `serving` resolves to the fields of the node's message "serving". It rejects with `failed()` if the node ends first.
 */
export function runNode(args, { log, flags = "w", env, signal, failed }) {
  // Ctrl-C must reach only this program, which then stops the node. The port next to another node's may be taken.
  const child = spawn(program, [...args, "--admin-listen", "127.0.0.1:0", "--log-format", "json"], {
    env: { ...environment, ...env },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const end = () => child.kill(signal);
  process.prependOnceListener("exit", end);
  child.stderr.pipe(createWriteStream(log, { flags }));
  const stopped = ended.then(() => {
    throw failed();
  });
  return {
    child,
    ended,
    serving: Promise.race([servingIn(child.stderr), stopped]),
    async stop() {
      end();
      process.removeListener("exit", end);
      await ended;
    },
  };
}

/** The fields of the message of a node that serves. */
async function servingIn(stderr) {
  for await (const line of createInterface({ input: stderr })) {
    // The last line of a node that fails is text.
    if (!line.startsWith("{")) continue;
    const { message, ...fields } = JSON.parse(line).fields ?? {};
    if (message === "serving") return fields;
  }
  return new Promise(() => undefined); // The node has ended; `ended` reports that.
}
