// npm run bench: the native benchmarks, then the same in WebAssembly.

import { build } from "./lib/build.mjs";
import { hand } from "./lib/command.mjs";
import { machine } from "./lib/machine.mjs";
import { forBuild, prepare } from "./lib/setup.mjs";
import { main } from "./lib/task.mjs";
import { bold, say } from "./lib/terminal.mjs";

await main(async () => {
  await prepare(forBuild, ["cc"]);
  await build();
  machine().forEach((line) => say(line));
  const args = process.argv.slice(2);
  say(`\n${bold("native")}`);
  const native = hand("cargo", [
    "run",
    "--locked",
    "--release",
    "--package",
    "prooflight-bench",
    "--",
    ...args,
  ]);
  say(`\n${bold("WebAssembly in Node")}`);
  const wasm = hand("node", ["crates/bench/wasm/bench.mjs", ...args]);
  return native || wasm;
});
