import { describe, expect, test } from "vitest";

import { init, type Operation, verifyErgoAdProofs } from "../src/avl.js";
import { fromHex, toHex } from "../src/index.js";
import { extended, flipped } from "./dictionary.js";
import { inputOf } from "./files.js";
import { refusal, verdict } from "./refusal.js";

interface Input {
  parentStateRoot: string;
  stateRoot: string;
  adProofsRoot: string;
  ops: { op: Operation["op"]; key: string; value?: string }[];
  proof: string;
}

await init();
const input = inputOf("avl/ergo_mainnet.json") as Input;
const block = {
  parentStateRoot: fromHex(input.parentStateRoot),
  stateRoot: fromHex(input.stateRoot),
  adProofsRoot: fromHex(input.adProofsRoot),
  operations: input.ops.map(({ op, key, value }) => ({
    op,
    key: fromHex(key),
    ...(value !== undefined && { value: fromHex(value) }),
  })) as Operation[],
  proof: fromHex(input.proof),
};

test("a mainnet block verifies: its inputs were there, its outputs were not", () => {
  const { digest, results } = verifyErgoAdProofs(block);
  expect(toHex(digest)).toBe(input.stateRoot);
  expect(results.map(({ kind }) => kind)).toEqual(
    input.ops.map(({ op }) => (op === "Insert" ? "absent" : "present")),
  );
});

test("absent keys come with their neighbours when asked for", () => {
  const { results } = verifyErgoAdProofs({ ...block, neighbours: true });
  results.forEach((result, i) => {
    if (result.kind === "present") return;
    const key = input.ops[i]?.key ?? "";
    expect(toHex(result.previous ?? new Uint8Array()) < key).toBe(true);
    expect(key < toHex(result.next ?? new Uint8Array())).toBe(true);
  });
});

describe("a forged block is refused:", () => {
  const { operations, proof } = block;
  test.each([
    ["proof", { proof: flipped(proof, 100) }, "ad_proofs_root_mismatch"],
    ["proof with a byte more", { proof: extended(proof, 0) }, "ad_proofs_root_mismatch"],
    [
      "hash of the proof",
      { adProofsRoot: flipped(block.adProofsRoot, 0) },
      "ad_proofs_root_mismatch",
    ],
    ["parent", { parentStateRoot: flipped(block.parentStateRoot, 0) }, "root_mismatch"],
    ["result", { stateRoot: flipped(block.stateRoot, 0) }, "state_root_mismatch"],
    ["height", { stateRoot: flipped(block.stateRoot, 32) }, "state_root_mismatch"],
    ["outputs", { operations: operations.map(forged) }, "state_root_mismatch"],
    ["last output left out", { operations: operations.slice(0, -1) }, "state_root_mismatch"],
  ])("its %s", (_, change, reason) => {
    const error = refusal(() => verifyErgoAdProofs({ ...block, ...change }));
    expect(verdict(error)).toBe(`mismatch / ${reason}`);
  });
});

/** The same operation; an insertion with another value. */
function forged(operation: Operation): Operation {
  if (operation.op !== "Insert") return operation;
  return { ...operation, value: flipped(operation.value, 0) };
}
