import { describe, expect, test } from "vitest";

import { type Operation, verifyBatch, verifyLookup } from "../src/avl.js";
import { toHex } from "../src/index.js";
import { dictionary, extended, flipped, key, long, pinned, proven } from "./dictionary.js";
import { refusal, verdict } from "./refusal.js";

const every: Operation[] = [
  { op: "Lookup", key: key(2) },
  { op: "Lookup", key: key(3) },
  { op: "Insert", key: key(5), value: long(5) },
  { op: "Update", key: key(6), value: long(66) },
  { op: "InsertOrUpdate", key: key(6), value: long(67) },
  { op: "InsertOrUpdate", key: key(7), value: long(7) },
  { op: "Remove", key: key(8) },
  { op: "RemoveIfExists", key: key(8) },
  { op: "UpdateLongBy", key: key(10), delta: -3n },
  { op: "UpdateLongBy", key: key(10), delta: -7n },
  { op: "Lookup", key: key(10) },
  { op: "UpdateLongBy", key: key(11), delta: 2n ** 63n - 1n },
  { op: "Lookup", key: key(11) },
];
const present = (n: bigint | number) => ({ kind: "present", value: long(n) });
const absent = { kind: "absent" };

describe("verifyBatch", () => {
  test("shows what each key had before its operation, and the next digest", () => {
    const { digest, results } = verifyBatch(proven(every));
    expect(results).toEqual([
      ...[present(2), absent, absent, present(6), present(66), absent, present(8), absent],
      ...[present(10), present(7), absent, absent, present(2n ** 63n - 1n)],
    ]);
    using prover = dictionary();
    expect(toHex(digest)).toBe(toHex(prover.apply(every).digest));
  });

  test("shows the keys around absent ones when asked to", () => {
    const operations = [1, 2, 77, 201].map((n) => ({ op: "Lookup" as const, key: key(n) }));
    const { results } = verifyBatch({ ...proven(operations), neighbours: true });
    expect(results).toEqual([
      { kind: "absent", previous: null, next: key(2) },
      present(2),
      { kind: "absent", previous: key(76), next: key(78) },
      { kind: "absent", previous: key(200), next: null },
    ]);
  });

  test("verifies an empty batch, which changes nothing", () => {
    const input = proven([]);
    expect(verifyBatch(input)).toEqual({ digest: input.digest, results: [] });
  });

  test("gives bytes in buffers of their own and leaves its arguments alone", () => {
    const input = proven(every);
    const before = structuredClone(input);
    const { digest, results } = verifyBatch(input);
    for (const result of results) if (result.kind === "present") result.value.fill(0xee);
    digest.fill(0xee);
    expect(digest.buffer.byteLength).toBe(33);
    expect(input).toEqual(before);
    expect(verifyBatch(input).results[0]).toEqual(present(2));
  });

  test("takes bytes that are part of a larger buffer", () => {
    const inside = (bytes: Uint8Array) => extended(bytes, 0xee).subarray(0, bytes.length);
    const { digest, proof, ...rest } = proven([{ op: "Lookup", key: key(2) }]);
    const operations = [{ op: "Lookup" as const, key: inside(key(2)) }];
    const input = { ...rest, digest: inside(digest), proof: inside(proof), operations };
    expect(verifyBatch(input).results).toEqual([present(2)]);
  });
});

describe("verifyLookup", () => {
  const lookup = (n: number) => {
    const { digest, proof } = proven([{ op: "Lookup", key: key(n) }]);
    return { ...pinned, digest, proof, key: key(n) };
  };

  test("shows a value", () => {
    expect(verifyLookup(lookup(2))).toEqual(present(2));
  });

  test("shows an absence and its neighbours", () => {
    expect(verifyLookup(lookup(3))).toEqual({ kind: "absent", previous: key(2), next: key(4) });
  });

  test.each([
    ["the proof of another key", { ...lookup(2), proof: lookup(100).proof }, "key_not_in_leaf"],
    ["the absence of another key", { ...lookup(201), key: key(2) }, "key_not_in_leaf"],
    ["another key", { ...lookup(2), key: key(100) }, "key_not_in_leaf"],
  ])("refuses %s", (_, input, reason) => {
    expect(verdict(refusal(() => verifyLookup(input)))).toBe(`mismatch / ${reason}`);
  });
});

describe("verifyBatch refuses", () => {
  const honest = proven(every);
  const { proof, digest } = honest;

  test.each([
    ["another root", { digest: flipped(digest, 0) }, "mismatch / root_mismatch"],
    ["a truncated proof", { proof: proof.subarray(0, 40) }, "malformed / truncated"],
    ["a digest of 32 bytes", { digest: digest.subarray(0, 32) }, "invalid_input / digest_length"],
  ])("%s", (_, change, expected) => {
    const error = refusal(() => verifyBatch({ ...honest, ...change }));
    expect(verdict(error)).toBe(expected);
    expect(error.scheme).toBe("avl");
    expect(error.details.expected).not.toBe("");
    expect(error.message).toContain(error.details.expected);
    expect(error.message).toContain(error.details.found);
  });
});

describe("limits", () => {
  const input = proven(every);
  const bytes = input.proof.length;
  test.each([
    ["proof bytes", { maxProofBytes: bytes }, { maxProofBytes: bytes - 1 }, "proof_too_large"],
    ["operations", { maxOperations: 13 }, { maxOperations: 12 }, "too_many_operations"],
    ["deletes", { maxDeletes: 5 }, { maxDeletes: 4 }, "too_many_deletes"],
  ])("of %s hold to the last one", (_, enough, tooFew, reason) => {
    expect(verifyBatch({ ...input, limits: enough }).results).toHaveLength(13);
    expect(refusal(() => verifyBatch({ ...input, limits: tooFew })).reason).toBe(reason);
  });
});
