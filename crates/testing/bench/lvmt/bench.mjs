// `node crates/testing/bench/lvmt/bench.mjs [--quick]`: LVMT's proofs in WebAssembly, beside the same equations by
// @noble/curves and by mcl-wasm.

import { keccak_256 } from "@noble/hashes/sha3.js";
import { init, verifyLvmtProof } from "prooflight/lvmt";

import { main, task } from "../../../../scripts/lib/task.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";
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
    const [sdk] = measure([() => verifyLvmtProof(input)], count < 1000 ? rounds : 3);
    const aKey = (sdk.median / count).toFixed(2);
    rows.push([
      `${count} keys`,
      text(sdk),
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
  const [ours, mcl, nobleTimes] = measure(calls, rounds);
  const ratio = (peer) => `ours / peer: ${(ours.median / peer.median).toFixed(2)}`;
  rows.push(["one key by mcl-wasm", text(mcl), ratio(mcl)]);
  rows.push(["one key by @noble/curves", text(nobleTimes), ratio(nobleTimes)]);
  table(rows, "lrrr").forEach((line) => say(line));
  say(LEGEND);
});

/** The calls taking turns, in milliseconds of the processor. */
function measure(calls, rounds) {
  const samples = calls.map(() => []);
  const warm = Math.ceil(rounds / 3);
  for (let round = 0; round < warm + rounds; round++) {
    calls.forEach((call, index) => {
      const start = process.cpuUsage();
      call();
      const { user, system } = process.cpuUsage(start);
      if (round >= warm) samples[index].push((user + system) / 1000);
    });
  }
  return samples.map((times) => {
    const sorted = times.sort((a, b) => a - b);
    const [low, median, high] = [1, 2, 3].map((q) => sorted[Math.floor(((rounds - 1) * q) / 4)]);
    return { low, median, high };
  });
}

function text({ low, median, high }) {
  return `${median.toFixed(2)} ms (${low.toFixed(2)}-${high.toFixed(2)})`;
}
