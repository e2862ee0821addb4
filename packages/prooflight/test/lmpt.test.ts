/** The module `prooflight/lmpt`; what it accepts and refuses is in the vectors. */

import { beforeAll, expect, test } from "vitest";

import { fromHex } from "../src/index.js";
import { init, verifyLmptProof } from "../src/lmpt.js";
import { inputOf } from "./files.js";
import { refusal, verdict } from "./refusal.js";

beforeAll(() => init());

/** An honest test, as a caller has its input. */
function honest(comment: string) {
  const { root, keys, proof } = inputOf("lmpt/samples.json", comment) as Record<string, string> & {
    keys: string[];
  };
  return { root: fromHex(root ?? ""), keys: keys.map(fromHex), proof: fromHex(proof ?? "") };
}

test("a value comes with the layer that has it, a deletion with the layer that has it", () => {
  expect(verifyLmptProof(honest("a value in delta"))).toEqual([
    { kind: "present", value: new Uint8Array(), layer: "delta" },
  ]);
  expect(verifyLmptProof(honest("a tombstone in delta"))).toEqual([
    { kind: "absent", layer: "delta" },
  ]);
});

test("a repeated key has a result for each time, all with one copy of the value", () => {
  const { keys, ...input } = honest("a value in delta");
  const [first, ...others] = verifyLmptProof({ ...input, keys: [...keys, ...keys, ...keys] });
  expect(others).toEqual([first, first]);
  for (const other of others) {
    expect(first?.kind === "present" && other.kind === "present").toBe(true);
    expect((other as { value: unknown }).value).toBe((first as { value: unknown }).value);
  }
});

test("the root has 96 bytes", () => {
  const { root, ...input } = honest("a value in delta");
  for (const wrong of [root.subarray(1), root.subarray(0, 32), new Uint8Array(97)]) {
    const error = refusal(() => verifyLmptProof({ ...input, root: wrong }));
    expect(verdict(error)).toBe("invalid_input / invalid_argument");
    expect(error.details.expected).toBe("root to be 96 bytes");
  }
});

test("without keys there is nothing to verify", () => {
  const error = refusal(() => verifyLmptProof({ ...honest("a value in delta"), keys: [] }));
  expect(verdict(error)).toBe("invalid_input / invalid_argument");
});

test("the roots of the layers are in one order", () => {
  const { root, ...input } = honest("a value in delta");
  const [snapshot, intermediate, delta] = [0, 32, 64].map((at) => root.subarray(at, at + 32));
  const joined = (...roots: (Uint8Array | undefined)[]) =>
    Uint8Array.from(roots.flatMap((part) => [...(part ?? [])]));
  const error = refusal(() =>
    verifyLmptProof({ ...input, root: joined(delta, intermediate, snapshot) }),
  );
  expect(verdict(error)).toBe("mismatch / root_mismatch");
});
