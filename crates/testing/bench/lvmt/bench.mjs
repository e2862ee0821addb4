// `node crates/testing/bench/lvmt/bench.mjs [--quick]`: LVMT's proofs in WebAssembly, beside the same equations by
// @noble/curves and by mcl-wasm.

import { keccak_256 } from "@noble/hashes/sha3.js";
import { init, verifyLvmtProof } from "prooflight/lvmt";

import { main, task } from "../../../../scripts/lib/task.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";
import { inMilliseconds, measure, quartiles } from "../samples.mjs";
import { cases } from "./cases.mjs";
import { mclWasm, noble } from "./peers.mjs";
import { openings } from "./statement.mjs";

const COUNTS = [1, 10, 100, 1000];
const SETUP = { logN: 16, logArity: 2 };
const LEGEND = `
Keys at level 1, each below another entry of the root vector, arity 4. Times are what the processor
worked: medians, in brackets the middle half. The peers verify the openings of one key one after the
other, each from decoded points and, where they can, with the setup prepared; the SDK does it all: it
decodes, hashes the leaves up to the root, and verifies all openings in one equation.`;

await main(async () => {
  const rounds = process.argv.includes("--quick") ? 7 : 25;
  let inputs;
  await task("prove keys of LVMT", async () => {
    inputs = await cases(COUNTS, SETUP);
  });
  await init();
  const rows = [["", "together", "a key", "bytes a key"]];
  for (const input of inputs) {
    const count = input.keys.length;
    if (verifyLvmtProof(input).some(({ kind }) => kind !== "present")) throw new Error("absent");
    const [times] = measure([() => verifyLvmtProof(input)], count < 1000 ? rounds : 3);
    const sdk = quartiles(times);
    const aKey = (sdk.median / count).toFixed(2);
    rows.push([
      `${count} keys`,
      inMilliseconds(sdk),
      `${aKey} ms`,
      `${Math.round(input.proof.length / count)}`,
    ]);
  }
  const one = inputs[0];
  const statement = {
    ...SETUP,
    proof: Buffer.from(one.proof),
    keyHash: Buffer.from(keccak_256(one.keys[0])),
    aroot: Buffer.from(one.root.subarray(0, 32)),
  };
  const given = openings(statement);
  const calls = [
    () => verifyLvmtProof(one),
    await mclWasm(given, SETUP.logN),
    noble(given, SETUP.logN),
  ];
  const [ours, mcl, nobleTimes] = measure(calls, rounds).map(quartiles);
  const ratio = (peer) => `ours / peer: ${(ours.median / peer.median).toFixed(2)}`;
  rows.push(["one key by mcl-wasm", inMilliseconds(mcl), ratio(mcl)]);
  rows.push(["one key by @noble/curves", inMilliseconds(nobleTimes), ratio(nobleTimes)]);
  table(rows, "lrrr").forEach((line) => say(line));
  say(LEGEND);
});
