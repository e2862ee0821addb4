import { describe, expect, test } from "vitest";

import { AvlProver, type Operation, verifyBatch } from "../src/avl.js";
import { toHex } from "../src/index.js";
import { dictionary, key, long, pinned } from "./dictionary.js";
import { refusal, verdict } from "./refusal.js";

test("an empty dictionary has the digest of the specification", () => {
  using prover = new AvlProver({ keyLength: 32 });
  expect(toHex(prover.digest)).toBe(
    "0x4ec61f485b98eb87153f7c57db4f5ecd75556fddbc403b41acf8441fde8e160900",
  );
});

test("prove leaves the dictionary as it is, apply does not, and both proofs verify", () => {
  using prover = dictionary();
  const before = prover.digest;
  const operations: Operation[] = [
    { op: "Remove", key: key(2) },
    { op: "Insert", key: key(3), value: long(3) },
  ];
  const proved = prover.prove(operations);
  expect(prover.digest).toEqual(before);
  expect(prover.get(key(2))).toEqual(long(2));

  const applied = prover.apply(operations);
  expect(applied).toEqual(proved);
  expect(prover.digest).toEqual(applied.digest);
  expect(prover.get(key(2))).toBeUndefined();
  expect(prover.get(key(3))).toEqual(long(3));

  const { proof, ...shown } = applied;
  expect(verifyBatch({ ...pinned, digest: before, operations, proof })).toEqual(shown);
});

test("a batch with an operation that fails changes nothing and says which one it is", () => {
  using prover = dictionary();
  const before = prover.digest;
  const operations: Operation[] = [
    { op: "Remove", key: key(2) },
    { op: "Remove", key: key(2) },
  ];
  for (const run of [() => prover.prove(operations), () => prover.apply(operations)]) {
    const error = refusal(run);
    expect(verdict(error)).toBe("mismatch / key_absent");
    expect(error.details.found).toContain("operation 1");
  }
  expect(prover.digest).toEqual(before);
});

test("values have any length when none is given", () => {
  using prover = new AvlProver({ keyLength: 1 });
  const [one, two] = [Uint8Array.of(1), Uint8Array.of(2)];
  prover.apply([
    { op: "Insert", key: one, value: new Uint8Array() },
    { op: "Insert", key: two, value: new Uint8Array(1000).fill(7) },
  ]);
  expect(prover.get(one)).toEqual(new Uint8Array());
  expect(prover.get(two)).toHaveLength(1000);
});

test("limits hold for batches", () => {
  using prover = new AvlProver({ ...pinned, limits: { maxOperations: 1 } });
  const lookup = { op: "Lookup" as const, key: key(2) };
  expect(prover.prove([lookup]).results).toEqual([{ kind: "absent" }]);
  expect(refusal(() => prover.prove([lookup, lookup])).reason).toBe("too_many_operations");
});

test("what is no key of the dictionary is refused, not absent", () => {
  using prover = dictionary();
  const reasonOf = (...key: number[]) => verdict(refusal(() => prover.get(Uint8Array.from(key))));
  for (const key of [[], [1], [1, 2, 3]])
    expect(reasonOf(...key)).toBe("invalid_input / key_length");
  expect(reasonOf(0, 0)).toBe("invalid_input / key_out_of_range");
  expect(reasonOf(255, 255)).toBe("invalid_input / key_out_of_range");
  expect(prover.get(Uint8Array.of(0, 1))).toBeUndefined();
});

describe("a prover that was disposed of", () => {
  test("refuses to be used, but can be disposed of again", () => {
    const prover = dictionary();
    prover.dispose();
    prover.dispose();
    for (const use of [() => prover.digest, () => prover.get(key(2)), () => prover.prove([])]) {
      expect(verdict(refusal(use))).toBe("invalid_input / disposed");
    }
  });

  test("does not reach another one", () => {
    const gone = dictionary();
    gone.dispose();
    using prover = dictionary();
    expect(verdict(refusal(() => gone.apply([{ op: "Remove", key: key(2) }])))).toBe(
      "invalid_input / disposed",
    );
    expect(prover.get(key(2))).toEqual(long(2));
  });

  test("has left the scope of using", () => {
    const used = () => {
      using prover = dictionary();
      expect(prover.get(key(2))).toEqual(long(2));
      return prover;
    };
    expect(refusal(() => used().digest).reason).toBe("disposed");
  });
});
