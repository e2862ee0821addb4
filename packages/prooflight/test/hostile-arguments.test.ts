import { afterEach, describe, expect, test } from "vitest";

import { AvlProver, type Operation, verifyBatch, verifyLookup } from "../src/avl.js";
import { verifyAncestors } from "../src/chain.js";
import { toHex } from "../src/index.js";
import { verifyLmptProof } from "../src/lmpt.js";
import { verifyAmtOpenings, verifyLvmtProof } from "../src/lvmt.js";
import { verifySmtHistory, verifySmtProof } from "../src/smt.js";
import { dictionary, extended, key, long, pinned, proven } from "./dictionary.js";
import { refusal, verdict } from "./refusal.js";

const { digest, proof, operations } = proven([{ op: "Lookup", key: key(2) }]);
const batch = { ...pinned, digest, proof, operations };
const lookup = { ...pinned, digest, proof, key: key(2) };
const found = { kind: "present", value: long(2) };

/** The same bytes, whose buffer went to another owner. */
function detached(bytes: Uint8Array): Uint8Array {
  const gone = Uint8Array.from(bytes);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  return gone;
}

describe("detached bytes are refused by name, and no prover is lost:", () => {
  const prover = dictionary();
  const insert = (change: object) =>
    prover.apply([{ op: "Insert", key: key(3), value: long(3), ...change }]);
  test.each<[string, () => unknown]>([
    ["proof", () => verifyBatch({ ...batch, proof: detached(proof) })],
    ["key", () => prover.get(detached(key(2)))],
    ["operations[0].key", () => insert({ key: detached(key(3)) })],
    ["operations[0].value", () => insert({ value: detached(long(3)) })],
  ])("%s", (name, call) => {
    const error = refusal(call);
    expect(verdict(error)).toBe("invalid_input / invalid_argument");
    expect(error.details.expected).toBe(`${name} to be a Uint8Array that is not detached`);
    expect(prover.digest).toEqual(digest);
  });
});

describe("an array with holes has items that are none:", () => {
  const root = new Uint8Array(32);
  const holes = <T>(count = 1): T[] => new Array<T>(count);
  const lvmt = { paramsId: root, logN: 4, logArity: 2, root: new Uint8Array(64), height: 0n };
  const opening = { kind: "single", commitment: root, index: 0, value: root } as const;
  test.each<[string, () => unknown]>([
    ["operations", () => verifyBatch({ ...batch, operations: holes() })],
    ["operations of a prover", () => dictionary().apply(holes())],
    ["keys of smt", () => verifySmtProof({ root, height: 0n, keys: holes(), proof })],
    [
      "roots of a history",
      () => verifySmtHistory({ key: root, from: 0n, to: 0n, roots: holes(), proof }),
    ],
    ["headers", () => verifyAncestors({ head: proof, headers: holes(), hashes: [] })],
    ["hashes", () => verifyAncestors({ head: proof, headers: [], hashes: holes() })],
    ["keys of lmpt", () => verifyLmptProof({ root: new Uint8Array(96), keys: holes(), proof })],
    ["keys of lvmt", () => verifyLvmtProof({ ...lvmt, keys: holes(), proof })],
    ["openings", () => verifyAmtOpenings({ setup: "dev", logN: 4, openings: holes() })],
    [
      "points",
      () =>
        verifyAmtOpenings({ setup: "dev", logN: 4, openings: [{ ...opening, points: holes() }] }),
    ],
    ["more than there can be", () => verifyBatch({ ...batch, operations: holes(2 ** 32 - 1) })],
  ])("%s", (_, call) => {
    expect(verdict(refusal(call))).toBe("invalid_input / invalid_argument");
  });
});

describe("bytes are what they are, whatever they say:", () => {
  const saying = (bytes: Uint8Array, members: PropertyDescriptorMap) =>
    Object.defineProperties(Uint8Array.from(bytes), members);
  test.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ["no prototype", (bytes) => Object.setPrototypeOf(Uint8Array.from(bytes), null) as Uint8Array],
    ...[-1, 0, 0.5, 1, 2 ** 32, NaN, "1", undefined].map(
      (value): [string, (bytes: Uint8Array) => Uint8Array] => [
        `a length of ${String(value)}`,
        (bytes) => saying(bytes, { length: { value } }),
      ],
    ),
    [
      "another buffer, offset and length",
      (bytes) =>
        saying(bytes, {
          buffer: { value: new ArrayBuffer(99) },
          byteOffset: { value: 7 },
          byteLength: { value: 1 },
        }),
    ],
    [
      "another iterator",
      (bytes) => saying(bytes, { [Symbol.iterator]: { value: () => [][Symbol.iterator]() } }),
    ],
    ["a subclass", (bytes) => new (class extends Uint8Array {})(bytes)],
  ])("with %s", (_, made) => {
    const input = { digest: made(digest), proof: made(proof) };
    const operations = [{ op: "Lookup" as const, key: made(key(2)) }];
    expect(verifyLookup({ ...lookup, ...input, key: made(key(2)) })).toEqual(found);
    expect(verifyBatch({ ...batch, ...input, operations }).results).toEqual([found]);
    expect(toHex(made(digest))).toBe(toHex(digest));
    using prover = new AvlProver(pinned);
    prover.apply([{ op: "Insert", key: made(key(2)), value: made(long(2)) }]);
    expect(prover.get(made(key(2)))).toEqual(long(2));
  });
});

describe("only an argument's own members count:", () => {
  const polluted = Object.prototype as Record<string, unknown>;
  afterEach(() => {
    delete polluted["mode"];
    delete polluted["limits"];
  });
  const padded = extended(proof, 0);

  test("an inherited mode does not switch strict mode off", () => {
    polluted["mode"] = "compat";
    expect(refusal(() => verifyLookup({ ...lookup, proof: padded })).reason).toBe(
      "directions_left_over",
    );
    expect(refusal(() => verifyBatch({ ...batch, proof: padded })).reason).toBe(
      "directions_left_over",
    );
  });

  test("nor do other inherited members give anything, or take anything away", () => {
    polluted["limits"] = { maxOperations: 0 };
    const { results } = verifyBatch(batch);
    const single = verifyLookup(lookup);
    delete polluted["limits"];
    expect(results).toEqual([found]);
    expect(single).toEqual(found);

    const inherited = Object.create(lookup) as typeof lookup;
    expect(refusal(() => verifyLookup(inherited)).reason).toBe("invalid_argument");
    const withMember = (own: object, inherited: object) =>
      Object.assign(Object.create(inherited) as object, own) as Operation;
    const asked = (operation: Operation) => verifyBatch({ ...batch, operations: [operation] });
    const [op, value] = ["Lookup", long(3)];
    expect(asked(withMember({ op, key: key(2) }, { value, delta: 1n })).results).toEqual([found]);
    for (const without of [{ op }, { key: key(2) }]) {
      const operation = withMember(without, { op, key: key(2) });
      expect(refusal(() => asked(operation)).reason).toBe("invalid_argument");
    }
  });
});

test("each member is read once", () => {
  const reads: string[] = [];
  const watched = <T extends object>(name: string, object: T): T =>
    new Proxy(object, {
      get(target, member) {
        reads.push(`${name}.${String(member)}`);
        return Reflect.get(target, member) as unknown;
      },
    });
  const limits = watched("limits", { maxOperations: 1 });
  const mode = "strict" as const;
  verifyLookup(watched("lookup", { ...lookup, mode, limits }));
  verifyBatch(
    watched("batch", {
      ...batch,
      ...{ mode, limits: { ...limits }, neighbours: true },
      operations: operations.map((operation) => watched("operation", operation)),
    }),
  );
  expect(reads.filter((read, i) => reads.indexOf(read) < i && !read.startsWith("limits"))).toEqual(
    [],
  );
  expect(reads).toContain("lookup.key");
  expect(reads).toContain("operation.key");
});
