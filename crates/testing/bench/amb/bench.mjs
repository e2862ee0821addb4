// `node crates/testing/bench/amb/bench.mjs [--quick]`: proofs of ordered keys in WebAssembly and through the SDK, beside the
// native verifier on the same proofs.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { fromHex } from "prooflight";
import { init, verifyAmbProof } from "prooflight/amb";

import { inside } from "../../../../scripts/lib/paths.mjs";
import { main, task } from "../../../../scripts/lib/task.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";
import { measure, quartiles } from "../samples.mjs";

const work = inside("target", "bench-amb");
const file = join(work, "cases.json");
const WARM = 20;

const LEGEND = `
Times are what the processor worked: medians of rounds over all proofs, in brackets the middle half of the rounds.
The SDK's call takes JavaScript objects and returns them.`;

await main(async () => {
  const quick = process.argv.includes("--quick");
  const [keys, rounds] = quick ? [100_000, 20] : [1_000_000, 60];
  await task(`proofs of ordered keys, ${keys} keys`, async ({ sh }) => {
    mkdirSync(work, { recursive: true });
    const cargo = ["run", "--locked", "--release", "--package", "prooflight-bench", "--"];
    await sh("cargo", [...cargo, "--write-amb", `${keys}`, file]);
  });
  await init();
  const { root, block, gets, pages, native } = JSON.parse(readFileSync(file, "utf8"));
  const trusted = { root: fromHex(root), block: BigInt(block) };
  const bytes = gets.map((pair) => pair.map(fromHex));
  const getInputs = bytes.map(([key, proof]) => {
    return { kind: "get", ...trusted, keys: [key], at: trusted.block, proof };
  });
  const pageInputs = pages.map((pair) => {
    const [lo, proof] = pair.map(fromHex);
    return { kind: "range", ...trusted, lo, hi: null, at: trusted.block, reverse: false, proof };
  });
  for (const input of getInputs) {
    if (verifyAmbProof(input)[0].kind !== "present") throw new Error("a key without a value");
  }
  const entries = pageInputs.map((input) => verifyAmbProof(input).entries.length);
  const page = Math.max(...entries);
  table(
    [
      ["", "native", "in WebAssembly", "the SDK's call"],
      [`one key of ${keys}`, ms(native.gets), ...(await measured(getInputs, rounds))],
      [`a page of ${page} entries`, ms(native.pages), ...(await measured(pageInputs, rounds))],
    ],
    "lrrr",
  ).forEach((line) => say(line));
  say(LEGEND);
});

/** The time of a call in WebAssembly alone, with the question in its form already, and of the SDK's call. */
async function measured(inputs, rounds) {
  const dist = (path) => import(pathToFileURL(inside("packages/prooflight/dist", path)));
  const { hash } = await dist("wasm/hash.js");
  const { writeQuestion } = await dist("amb/question.js");
  const { Writer } = await dist("wire.js");
  const packed = inputs.map((input) => {
    const request = new Writer(1024);
    const { proof } = writeQuestion(request, input.kind, input);
    return { question: request.finish(), proof };
  });
  const calls = [
    () => {
      for (const { question, proof } of packed) {
        hash.call("amb", (wasm) => wasm.ambVerify(question, proof));
      }
    },
    () => {
      for (const input of inputs) verifyAmbProof(input);
    },
  ];
  return measure(calls, rounds, WARM).map((times) => {
    const { low, median, high } = quartiles(times.map((time) => time / inputs.length));
    return `${ms(median)} (${ms(low)}-${ms(high)})`;
  });
}

function ms(milliseconds) {
  if (milliseconds < 0.1) return `${(1000 * milliseconds).toFixed(1)} µs`;
  return `${milliseconds.toFixed(2)} ms`;
}
