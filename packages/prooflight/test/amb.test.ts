/** The module `prooflight/amb`; what it accepts and refuses is in the vectors. */

import { beforeAll, expect, test } from "vitest";

import { init, verifyAmbProof } from "../src/amb.js";
import { fromHex } from "../src/index.js";
import { inputOf } from "./files.js";
import { refusal, verdict } from "./refusal.js";

beforeAll(() => init());

/** The root of the example in the specification, after block 2. */
const trusted = {
  root: fromHex("0xb5dec939241abb04e4c3c9aeda4a3fa8102a97e14af16cfade596aa6b0b48afe"),
  block: 2n,
};

const proofOf = (name: string) => {
  const { proof } = inputOf("amb/proof.json", `the example of amb 9: ${name}`) as { proof: string };
  return fromHex(proof);
};
const get = () => ({ ...trusted, kind: "get", at: 1n, proof: proofOf("keys at a block") }) as const;

test("an answer about a key says since which block it holds", () => {
  const answers = verifyAmbProof({ ...get(), keys: [fromHex("0x61")] });
  expect(answers).toEqual([{ kind: "present", value: fromHex("0x01"), since: 0n }]);
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
