/** The module `prooflight/lmpt`; what it accepts and refuses is in the vectors. */

import { beforeAll, expect, test } from "vitest";

import { fromHex } from "../src/index.js";
import { init, lmptConfig, verifyLmptProof } from "../src/lmpt.js";
import { inputOf } from "./files.js";
import { refusal, verdict } from "./refusal.js";

beforeAll(() => init());

const VALUE = "a value in delta, and an older one in the snapshot";
const TOMBSTONE = "a tombstone in delta, and a value in intermediate";

/** An honest test, as a caller has its input. */
function honest(comment: string) {
  const { root, keys, proof } = inputOf("lmpt/proof.json", comment) as Record<string, string> & {
    keys: string[];
  };
  return { root: fromHex(root ?? ""), keys: keys.map(fromHex), proof: fromHex(proof ?? "") };
}

test("a value comes with the layer that has it, a deletion with the layer that has it", () => {
  expect(verifyLmptProof(honest(VALUE))).toEqual([
    { kind: "present", value: expect.any(Uint8Array) as Uint8Array, layer: "delta" },
  ]);
  expect(verifyLmptProof(honest(TOMBSTONE))).toEqual([{ kind: "absent", layer: "delta" }]);
});

test("a repeated key has a result for each time, all with one copy of the value", () => {
  const { keys, ...input } = honest(VALUE);
  const [first, ...others] = verifyLmptProof({ ...input, keys: [...keys, ...keys, ...keys] });
  expect(others).toEqual([first, first]);
  for (const other of others) {
    expect(first?.kind === "present" && other.kind === "present").toBe(true);
    expect((other as { value: unknown }).value).toBe((first as { value: unknown }).value);
  }
});

test("the root has 96 bytes", () => {
  const { root, ...input } = honest(VALUE);
  for (const wrong of [root.subarray(1), root.subarray(0, 32), new Uint8Array(97)]) {
    const error = refusal(() => verifyLmptProof({ ...input, root: wrong }));
    expect(verdict(error)).toBe("invalid_input / invalid_argument");
    expect(error.details.expected).toBe("root to be 96 bytes");
  }
});

test("the eras of a chain are in its configuration", () => {
  const schemes = [
    { id: 1, params: "0x" },
    { id: 5, params: "0xe803000020a107000000001000000000" },
  ];
  const eraBytes = 256n * 1024n * 1024n;
  expect(lmptConfig({ schemes })).toEqual({ eraBlocks: 1000, eraOps: 500_000, eraBytes });
  expect(lmptConfig({ schemes: schemes.slice(0, 1) })).toBeUndefined();
  const wrong = [{ id: 5, params: "0xe8" }];
  expect(verdict(refusal(() => lmptConfig({ schemes: wrong })))).toBe(
    "invalid_input / invalid_config",
  );
});
