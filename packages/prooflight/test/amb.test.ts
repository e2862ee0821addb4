/** The module `prooflight/amb`; what it accepts and refuses is in the vectors. */

import { beforeAll, describe, expect, test } from "vitest";

import { init, verifyAmbProof } from "../src/amb.js";
import { fromHex, toHex } from "../src/index.js";
import { inputOf } from "./files.js";
import { refusal, verdict } from "./refusal.js";

beforeAll(() => init());

/** The root of the example in the specification, after block 2. */
const trusted = {
  root: fromHex("0xb5dec939241abb04e4c3c9aeda4a3fa8102a97e14af16cfade596aa6b0b48afe"),
  block: 2n,
};

const example = (name: string) =>
  inputOf("amb/proof.json", `the example of amb 9: ${name}`) as Record<string, string>;
const proofOf = (name: string) => fromHex(example(name)["proof"] ?? "");
const get = () => ({ ...trusted, kind: "get", at: 1n, proof: proofOf("keys at a block") }) as const;

describe("each kind has its result:", () => {
  test("get", () => {
    const answers = verifyAmbProof({ ...get(), keys: [fromHex("0x61")] });
    expect(answers).toEqual([{ kind: "present", value: fromHex("0x01"), since: 0n }]);
  });

  test("hist", () => {
    const [history] = verifyAmbProof({
      ...{ ...trusted, kind: "hist", keys: [fromHex("0x61")], from: 0n, to: 1n },
      proof: proofOf("a history"),
    });
    expect(history).toEqual({
      entering: { kind: "absent" },
      changes: [{ height: 0n, value: fromHex("0x01") }],
    });
  });

  test("range", () => {
    const { entries, next } = verifyAmbProof({
      ...{ ...trusted, kind: "range", lo: new Uint8Array(), hi: null, at: 2n, reverse: false },
      proof: proofOf("a page"),
    });
    expect(entries.map(({ key, value, since }) => [toHex(key), toHex(value), since])).toEqual([
      ["0x61", "0x03", 2n],
      ["0x62", "0x02", 1n],
    ]);
    expect(next).toEqual(fromHex("0x6200"));
  });

  test("count", () => {
    const [lo, hi] = [fromHex("0x62"), fromHex("0x63")];
    const proof = proofOf("a count");
    expect(verifyAmbProof({ ...trusted, kind: "count", lo, hi, proof })).toBe(2n);
  });

  test("update", () => {
    const keys = [fromHex("0x61"), fromHex("0x6264")] as const;
    const [part] = example("an update")["parts"] as unknown as { proof: string }[];
    const root = verifyAmbProof({
      ...{ ...trusted, kind: "update" },
      operations: [
        { op: "Delete", key: keys[0] },
        { op: "Set", key: keys[1], value: fromHex("0x05") },
      ],
      parts: [{ keys, proof: fromHex(part?.proof ?? "") }],
    });
    expect(toHex(root)).toBe("0xf59275bb26687db74815a94c23ad24570fce24d1c957fa28e804a9942e03de32");
  });
});

test("a repeated key has a result for each time, all with one copy of the history", () => {
  const key = fromHex("0x61");
  const [first, ...others] = verifyAmbProof({
    ...{ ...trusted, kind: "hist", keys: [key, key, key], from: 0n, to: 1n },
    proof: proofOf("a history"),
  });
  expect(others).toHaveLength(2);
  for (const other of others) expect(other).toBe(first);
});

test("the kind is one of six, and has its own members alone", () => {
  const wrong = [
    { ...get(), keys: [], kind: "put" },
    { ...get(), keys: [], kind: "constructor" },
    { ...get(), keys: [fromHex("0x61")], lo: new Uint8Array() },
    { ...get() },
  ];
  for (const input of wrong) {
    const error = refusal(() => verifyAmbProof(input as never));
    expect(verdict(error)).toBe("invalid_input / invalid_argument");
  }
});

test("a proof above the limit is refused after a wrong question, and not read", () => {
  const limits = { maxProofBytes: 10 };
  const input = { ...get(), keys: [fromHex("0x61")], limits };
  const error = refusal(() => verifyAmbProof(input));
  expect(verdict(error)).toBe("malformed / proof_too_large");
  expect(error.details.expected).toBe("at most 10 bytes");
  const later = refusal(() => verifyAmbProof({ ...input, at: 3n }));
  expect(verdict(later)).toBe("invalid_input / invalid_argument");
});

test("an operation is a Set with a value, or a Delete without", () => {
  const key = fromHex("0x61");
  for (const operation of [{ op: "Set", key }, { op: "Delete", key, value: key }, { key }]) {
    const input = { ...trusted, kind: "update", operations: [operation], parts: [] };
    const error = refusal(() => verifyAmbProof(input as never));
    expect(verdict(error)).toBe("invalid_input / invalid_argument");
  }
});
