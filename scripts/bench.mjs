// npm run bench: the native benchmarks, the same in WebAssembly, and the SDK's calls in Node and in
// Chromium. `-- --quick` measures less.

import { build } from "./lib/build.mjs";
import { hand } from "./lib/command.mjs";
import { forBuild, prepare } from "./lib/setup.mjs";
import { main } from "./lib/task.mjs";
import { bold, say } from "./lib/terminal.mjs";

const NATIVE = ["run", "--locked", "--release", "--package", "prooflight-bench", "--"];

await main(async () => {
  await prepare([...forBuild, "chromium"]);
  await build();
  const args = process.argv.slice(2);
  const { node, v8 } = process.versions;
  say(`\n${bold("Native")}`);
  const native = hand("cargo", [...NATIVE, ...args]);
  say(`\n${bold(`WebAssembly in Node ${node}, V8 ${v8}`)}`);
  const wasm = hand("node", ["crates/bench/wasm/bench.mjs", ...args]);
  say(`\n${bold("Ethereum's accounts, from JavaScript")}`);
  const account = hand("node", ["crates/bench/account/bench.mjs", ...args]);
  say(`\n${bold("LVMT's proofs, from JavaScript")}`);
  return native || wasm || account || hand("node", ["crates/bench/lvmt/bench.mjs", ...args]);
});
