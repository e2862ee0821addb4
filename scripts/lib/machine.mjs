// What the numbers were measured on.

import { availableParallelism, cpus, totalmem, type, arch } from "node:os";

import { ask } from "./command.mjs";
import { table } from "./terminal.mjs";

/** Lines that name the processor, the system, Node and the compiler. */
export function machine() {
  return table(
    [
      ["processor", `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores`],
      ["memory", `${Math.round(totalmem() / 2 ** 30)} GiB`],
      ["system", `${type()} ${arch()}`],
      ["node", `${process.versions.node} (V8 ${process.versions.v8})`],
      ["rust", ask("rustc", "--version") ?? "missing"],
    ],
    "ll",
  );
}
