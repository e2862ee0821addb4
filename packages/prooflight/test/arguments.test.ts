import { describe, expect, test } from "vitest";

import { AvlProver, verifyBatch, verifyErgoAdProofs, verifyLookup } from "../src/avl.js";
import { fromHex, toHex } from "../src/index.js";
import { key, long, pinned, proven } from "./dictionary.js";
import { refusal, verdict } from "./refusal.js";

const invalid = "invalid_input / invalid_argument";
const batch = proven([{ op: "Lookup", key: key(2) }]);

/** A call with arguments that TypeScript would not let through. */
const anyhow = (call: unknown) => call as (input: unknown) => unknown;

describe("verifyBatch names the argument that is wrong:", () => {
  const withOperation = (operation: unknown) => ({ ...batch, operations: [operation] });
  test.each<[string, unknown]>([
    ["the argument to be an object", undefined],
    ["the argument to be an object", null],
    ["the argument to be an object", "0x"],
    ["an object of digest, operations", { ...batch, valueLenght: 8 }],
    ["digest to be a Uint8Array", { ...batch, digest: undefined }],
    ["digest to be a Uint8Array", { ...batch, digest: toHex(batch.digest) }],
    ["digest to be a Uint8Array", { ...batch, digest: [...batch.digest] }],
    ["digest to be a Uint8Array", { ...batch, digest: new Int8Array(33) }],
    ["digest to be a Uint8Array", { ...batch, digest: batch.digest.buffer }],
    ["digest to be a Uint8Array", { ...batch, digest: { length: 33, constructor: Uint8Array } }],
    ["proof to be a Uint8Array", { ...batch, proof: null }],
    ["keyLength to be an integer", { ...batch, keyLength: undefined }],
    ["keyLength to be an integer", { ...batch, keyLength: "2" }],
    ["keyLength to be an integer", { ...batch, keyLength: 2.5 }],
    ["keyLength to be an integer", { ...batch, keyLength: 2n }],
    ["keyLength to be an integer", { ...batch, keyLength: NaN }],
    ["keyLength to be an integer", { ...batch, keyLength: 2 ** 32 + 2 }],
    ["valueLength to be an integer", { ...batch, valueLength: -1 }],
    ["valueLength to be an integer", { ...batch, valueLength: null }],
    ["mode to be strict or compat", { ...batch, mode: "lax" }],
    ["neighbours to be a boolean", { ...batch, neighbours: 1 }],
    ["limits to be an object", { ...batch, limits: 5 }],
    ["limits to be an object", { ...batch, limits: [] }],
    ["limits to be an object", { ...batch, limits: new Map([["maxProofBytes", 0]]) }],
    ["limits to be an object", { ...batch, limits: new Date(0) }],
    ["the argument to be an object", Promise.resolve(batch)],
    ["the argument to be an object", [batch]],
    ["limits to be an object of maxProofBytes", { ...batch, limits: { maxProof: 5 } }],
    ["limits.maxDeletes to be an integer", { ...batch, limits: { maxDeletes: "5" } }],
    ["operations to be an array", { ...batch, operations: undefined }],
    ["operations to be an array", { ...batch, operations: new Set() }],
    ["operations[0] to be an object", withOperation(null)],
    ["operations[0].op to be Lookup or", withOperation({ key: key(2) })],
    ["operations[0].op to be Lookup or", withOperation({ op: "lookup", key: key(2) })],
    ["operations[0].op to be Lookup or", withOperation({ op: "toString", key: key(2) })],
    ["operations[0].key to be a Uint8Array", withOperation({ op: "Lookup" })],
    ["operations[0].key to be a Uint8Array", withOperation({ op: "Lookup", key: "0x0102" })],
    ["operations[0].value to be a Uint8Array", withOperation({ op: "Insert", key: key(2) })],
    [
      "operations[0].value to be left out of Lookup",
      withOperation({ op: "Lookup", key: key(2), value: long(3) }),
    ],
    [
      "operations[0].delta to be left out of Remove",
      withOperation({ op: "Remove", key: key(2), delta: 1n }),
    ],
    ...[undefined, 1, "1", 2n ** 63n, -(2n ** 63n) - 1n].map((delta): [string, unknown] => [
      "operations[0].delta to be a bigint",
      withOperation({ op: "UpdateLongBy", key: key(2), delta }),
    ]),
  ])("%s", (expected, input) => {
    const error = refusal(() => anyhow(verifyBatch)(input));
    expect(verdict(error)).toBe(invalid);
    expect(error.details.expected).toContain(expected);
  });
});

test("verifyLookup names the argument that is wrong", () => {
  const { digest, proof } = batch;
  const lookup = { ...pinned, digest, proof };
  const expectedBy = (input: unknown) => {
    const error = refusal(() => anyhow(verifyLookup)(input));
    expect(verdict(error)).toBe(invalid);
    return error.details.expected;
  };
  expect(expectedBy({ ...lookup, key: "0x0102" })).toContain("key to be a Uint8Array");
  expect(expectedBy({ ...lookup, key: key(2), digest: 1 })).toContain("digest to be a Uint8Array");
  expect(expectedBy({ ...batch, key: key(2) })).toContain("an object of digest, key, proof");
});

test("verifyErgoAdProofs names the argument that is wrong", () => {
  const root = new Uint8Array(33);
  const block = {
    parentStateRoot: root,
    stateRoot: root,
    adProofsRoot: new Uint8Array(32),
    operations: [],
    proof: root,
  };
  const refused = (change: object) =>
    refusal(() => anyhow(verifyErgoAdProofs)({ ...block, ...change }));
  for (const name of Object.keys(block)) {
    const error = refused({ [name]: undefined });
    expect(verdict(error)).toBe(invalid);
    expect(error.details.expected).toContain(`${name} to be`);
  }
  expect(verdict(refused({ mode: "strict" }))).toBe(invalid);
  expect(verdict(refused({ adProofsRoot: root }))).toBe(invalid);
  expect(verdict(refused({ stateRoot: new Uint8Array(32) }))).toBe("invalid_input / digest_length");
});

test("AvlProver names the argument that is wrong", () => {
  const make = anyhow((input: never) => new AvlProver(input));
  for (const input of [undefined, {}, { keyLength: "2" }, { ...pinned, mode: "compat" }]) {
    expect(verdict(refusal(() => make(input)))).toBe(invalid);
  }
  expect(verdict(refusal(() => make({ keyLength: 257 })))).toBe(invalid);
  using prover = new AvlProver(pinned);
  for (const method of ["prove", "apply"] as const) {
    for (const operations of [undefined, {}, [{ op: "Lookup" }], ["Lookup"]]) {
      expect(verdict(refusal(() => anyhow(prover[method].bind(prover))(operations)))).toBe(invalid);
    }
  }
  expect(verdict(refusal(() => anyhow(prover.get.bind(prover))("0x0102")))).toBe(invalid);
});

describe("hex", () => {
  test.each([
    ["0x", []],
    ["0x00ff", [0, 255]],
    ["0xAbCdEf", [0xab, 0xcd, 0xef]],
  ])("%s round-trips", (hex, bytes) => {
    expect([...fromHex(hex)]).toEqual(bytes);
    expect(toHex(Uint8Array.from(bytes))).toBe(hex.toLowerCase());
  });

  test.each(["", "00", "0X00", "0x0", "0x0g", "0xg0", "0x 1", "0x+1", "0xé0", "0x00 ", 0, null])(
    "%j is refused",
    (hex) => {
      expect(verdict(refusal(() => anyhow(fromHex)(hex)))).toBe(invalid);
    },
  );

  test.each([undefined, "0x00", [0], new ArrayBuffer(1)])("of %j is refused", (bytes) => {
    expect(verdict(refusal(() => anyhow(toHex)(bytes)))).toBe(invalid);
  });
});
