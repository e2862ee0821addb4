import { expect, test } from "vitest";

import { AvlProver, initSync, verifyBatch, verifyErgoAdProofs } from "../src/avl.js";
import { fromHex } from "../src/index.js";
import { refusal } from "./refusal.js";
import { fromFile, limitMemory, wasmUrl } from "./wasm.js";

// The binary that is published, in a memory of only 64 MiB more than it starts with.
initSync(limitMemory(await fromFile(wasmUrl), 1024));

const COUNT = 65_536;
const dictionary = { keyLength: 32, limits: { maxOperations: COUNT } };
const key = new Uint8Array(32).fill(9);
const value = new Uint8Array(65_536).fill(7);
const operations = Array.from({ length: COUNT }, () => ({ op: "Lookup" as const, key }));

const prover = new AvlProver(dictionary);
prover.apply([{ op: "Insert", key, value }]);
const { digest } = prover;
const { proof, results: proved } = prover.prove(operations);

test("65,536 lookups of one value of 64 KiB need no 65,536 copies of it", () => {
  expect(proof.length).toBeLessThan(80_000);
  const roots = { parentStateRoot: digest, stateRoot: digest };
  const block = { ...roots, adProofsRoot: new Uint8Array(32), operations, proof };
  // The refusal says what the hash of the proof is.
  const adProofsRoot = fromHex(refusal(() => verifyErgoAdProofs(block)).details.found);
  for (const { results } of [
    verifyErgoAdProofs({ ...block, adProofsRoot }),
    verifyBatch({ ...dictionary, digest, operations, proof }),
    { results: proved },
  ]) {
    expect(results).toHaveLength(COUNT);
    const values = new Set(results.map((result) => result.kind === "present" && result.value));
    expect([...values]).toEqual([value]);
  }
  // No trap: this prover would be lost.
  expect(prover.digest).toEqual(digest);
});
