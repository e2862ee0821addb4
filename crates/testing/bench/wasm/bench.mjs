// The AVL+ verifiers in WebAssembly, ours and the peer's in one run: `node crates/testing/bench/wasm/bench.mjs
// [--quick]`. Each side has an instance of its own, so that neither pays for the other's heap.
// The SDK's own call, if packages/prooflight is built, shows what crossing from JavaScript adds.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ask } from "../../../../scripts/lib/command.mjs";
import { inside } from "../../../../scripts/lib/paths.mjs";
import { Problem, main, task } from "../../../../scripts/lib/task.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";
import { inMilliseconds, measure, quartiles } from "../samples.mjs";
import { sdk } from "./sdk.mjs";

const PACKAGE = "prooflight-bench-wasm";
const work = inside("target", "bench-wasm");
const cases = join(work, "cases");
const binary = join(work, `${PACKAGE}.wasm`);

const LEGEND = `
Times are what the processor worked: medians of all samples, in brackets the middle half of them.
Compressions are the hashing that no verifier can do without. The SDK's call takes JavaScript
objects and returns them; for Ergo blocks it also hashes the proofs.`;

await main(async () => {
  const rounds = process.argv.includes("--quick") ? 15 : 60;
  await task("build the verifiers as WebAssembly", buildBinary);
  await task("write batches on 100 k keys", async ({ sh }) => {
    await sh("cargo", [...cargo("run", "prooflight-bench"), "--", "--write-cases", cases]);
  });
  const module = await WebAssembly.compile(readFileSync(binary));
  const rows = [["", "ours", "peer", "ours / peer"]];
  rows.push(
    ...(await compare("2000 operations on 100 k keys", join(cases, "batches_100k.json"), true)),
  );
  rows.push(...(await compare("Ergo blocks", inside("test-vectors/avl/ergo_mainnet.json"), false)));
  table(rows, "lrrr").forEach((line) => say(line));
  say(LEGEND);

  /** Rows of the table: per case, or all cases of the file together. */
  async function compare(title, file, perCase) {
    const json = readFileSync(file);
    const { expected, count } = digestsOf(json.toString());
    const [ours, peer] = ["ours", "peer"].map((side) => instance(module, side, json));
    const call = await sdk(json.toString());
    const contenders = [ours.verify, peer.verify, peer.hash, ...(call ? [call] : [])];
    for (const verify of [ours.verify, peer.verify, ...(call ? [call] : [])]) {
      if (verify()() !== expected) {
        throw new Problem(`${title}: a digest is not the one after the batch.`);
      }
    }
    const times = measure(contenders, rounds).map((samples) =>
      quartiles(samples.map((time) => time / (perCase ? count : 1))),
    );
    const ratio = (a, b) => (a.median / b.median).toFixed(2);
    const [our, their, hashing, whole] = times;
    const compressions = Math.round(peer.compressions / (perCase ? count : 1));
    return [
      [
        perCase ? title : `${count} ${title}`,
        inMilliseconds(our),
        inMilliseconds(their),
        ratio(our, their),
      ],
      [
        `  ${compressions} compressions, blake2: ${hashing.median.toFixed(2)} ms`,
        `${ratio(our, hashing)} x`,
        `${ratio(their, hashing)} x`,
      ],
      whole ? ["  the SDK's call", inMilliseconds(whole)] : ["  the SDK is not built"],
    ];
  }
});

/** Compiles and optimises with the SDK's own flags. */
async function buildBinary({ sh }) {
  const target = "wasm32-unknown-unknown";
  // These would replace the flags of .cargo/config.toml, and with them simd128.
  const env = { RUSTFLAGS: undefined, CARGO_ENCODED_RUSTFLAGS: undefined };
  await sh("cargo", [...cargo("build", PACKAGE), "--target", target], { env });
  const metadata = JSON.parse(ask("cargo", "metadata", "--no-deps", "--format-version", "1"));
  const sdk = metadata.packages.find(({ name }) => name === "prooflight-wasm");
  const flags = sdk.metadata["wasm-pack"].profile.release["wasm-opt"];
  const built = join(metadata.target_directory, target, "release", "prooflight_bench_wasm.wasm");
  mkdirSync(work, { recursive: true });
  await sh("wasm-opt", [...flags, built, "-o", binary]);
}

/**
 * One side in an instance of its own: `verify` verifies all cases of a vector file and gives a
 * function for their digests, `hash` does as many compressions as they need.
 */
function instance(module, side, json) {
  const { exports } = new WebAssembly.Instance(module, {});
  const bytes = (pointer, length) => new Uint8Array(exports.memory.buffer, pointer, length);
  const output = () => Buffer.from(bytes(exports.output(), exports.output_length()));
  const check = (done) => {
    if (!done) throw new Problem(`${side}: ${output()}`);
  };
  bytes(exports.input(json.length), json.length).set(json);
  check(exports[`load_${side}`]());
  check(exports.prepare_hashing());
  return {
    compressions: Number(output()),
    hash: () => check(exports.hash()),
    verify() {
      check(exports.verify());
      return () => output().toString("hex");
    },
  };
}

/** The digests after the cases of a vector file, one after the other, and how many they are. */
function digestsOf(json) {
  const tests = JSON.parse(json).testGroups.flatMap((group) => group.tests);
  const digests = tests.map(({ input, expected }) => input.stateRoot ?? expected.digest);
  return { expected: digests.map((digest) => digest.slice(2)).join(""), count: tests.length };
}

function cargo(command, name) {
  return [command, "--release", "--locked", "--package", name];
}
