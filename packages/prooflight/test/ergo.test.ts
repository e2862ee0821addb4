import { expect, test } from "vitest";

import { init, type Operation, verifyErgoAdProofs } from "../src/avl.js";
import { fromHex, toHex } from "../src/index.js";
import { inputOf } from "./files.js";

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
