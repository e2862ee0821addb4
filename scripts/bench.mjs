// npm run bench: benchmarks of native code, of WebAssembly, and of the SDK's calls in Node and in
// Chromium. `-- --quick` takes fewer samples. `-- --keys N,N,...` measures only the figures of the
// paper on S-Store, at these numbers of keys. `-- log [PART …]` measures nodes that share a log.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "./lib/build.mjs";
import { hand } from "./lib/command.mjs";
import { forBuild, prepare } from "./lib/setup.mjs";
import { main } from "./lib/task.mjs";
import { bold, say } from "./lib/terminal.mjs";

const NATIVE = ["run", "--locked", "--release", "--package", "prooflight-bench", "--"];

/** Runs an example of a crate, with its feature, in a separate process, as a benchmark of stores. */
const example = (crate, feature, name, args) =>
  hand("cargo", [
    ...["run", "--locked", "--release", "--package", crate, "--features", feature],
    ...["--example", name, "--", ...args.map(String)],
  ]);

/** Compares blocks of LVMT with those of the Merkle Patricia trie, by shard and arity. */
const CASES = ["mpt", "4-none", "4-class", "2-full", "4-full", "16-full"];

/** The cost of proofs; the time and disk space of blocks of 100,000 operations on a million keys. */
function stores(quick) {
  const [keys, blocks] = quick ? [100_000, 2] : [1_000_000, 5];
  const folder = mkdtempSync(join(tmpdir(), "prooflight-bench-"));
  try {
    const blocksOf = (name) =>
      example("prooflight-lvmt", "prover", "commits", [keys, blocks, name]);
    const proofs = example("prooflight-lvmt", "prover", "proofs", [keys]);
    const lvmt = proofs || (CASES.map(blocksOf).find(Boolean) ?? 0);
    return lvmt || example("prooflight-smt", "snapshots", "snapshots", [folder, keys, blocks]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main(async () => {
  const args = process.argv.slice(2);
  const nodes = args[0] === "log";
  await prepare(
    nodes ? forBuild : [...forBuild, "npm for benchmarks", "npm for tests", "chromium"],
  );
  await build([]);
  if (nodes) return hand("node", ["crates/testing/bench/log/measure.mjs", ...args.slice(1)]);
  const figures = () => {
    say(`\n${bold("AMB beside the structures of its paper")}`);
    return hand("cargo", [...NATIVE, "--figures", ...args]);
  };
  if (args.includes("--keys")) return figures();
  const { node, v8 } = process.versions;
  say(`\n${bold("Native")}`);
  const native = hand("cargo", [...NATIVE, ...args]) || figures();
  say(`\n${bold(`WebAssembly in Node ${node}, V8 ${v8}`)}`);
  const wasm = hand("node", ["crates/testing/bench/wasm/bench.mjs", ...args]);
  say(`\n${bold("Ethereum's accounts, from JavaScript")}`);
  const account = hand("node", ["crates/testing/bench/account/bench.mjs", ...args]);
  say(`\n${bold("Ethereum's light client, from JavaScript")}`);
  const ethereum = hand("node", ["crates/testing/bench/ethereum/bench.mjs", ...args]);
  say(`\n${bold("Contract calls beside Helios, from JavaScript")}`);
  const calls = hand("node", ["crates/testing/bench/execution/bench.mjs", ...args]);
  say(`\n${bold("LVMT's proofs, from JavaScript")}`);
  const lvmt = hand("node", ["crates/testing/bench/lvmt/bench.mjs", ...args]);
  say(`\n${bold("Historical proofs, from JavaScript")}`);
  const history = hand("node", ["crates/testing/bench/history/bench.mjs", ...args]);
  say(`\n${bold("Ordered keys, from JavaScript")}`);
  const amb = hand("node", ["crates/testing/bench/amb/bench.mjs", ...args]);
  say(`\n${bold("Stores: blocks of LVMT beside Merkle Patricia tries, snapshot files")}`);
  return (
    native ||
    wasm ||
    account ||
    ethereum ||
    calls ||
    lvmt ||
    history ||
    amb ||
    stores(args.includes("--quick"))
  );
});
