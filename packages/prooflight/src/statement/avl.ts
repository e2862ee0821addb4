import { Arguments, invalid } from "../arguments.js";
import type { Operation } from "../avl/operation.js";
import type { AbsentBetween, VerifiedBatch } from "../avl/result.js";
import { type BatchInput, verifyBatch, verifyErgoAdProofs } from "../avl/verify.js";
import { toHex } from "../bytes.js";
import { init } from "../wasm/hash.js";
import { decimalMember, hexMember, type Json, type Kind, there } from "./json.js";

/** The members that the statements about operations share. */
const OPERATIONS = {
  scheme: "avl",
  question: ({ ops }) => there({ ops }),
  asked: [],
  subjects,
  init,
} satisfies Omit<Kind, "trusted" | "verify">;

/** A batch of operations on a dictionary. */
export const AvlBatch: Kind = {
  ...OPERATIONS,
  // A digest authenticates neither the lengths nor the mode.
  trusted: ({ digest, keyLength, valueLength, mode = "strict", limits }) =>
    there({ digest, keyLength, valueLength, mode, limits }),
  verify(input) {
    const given = new Arguments("avl", input, [
      "keyLength",
      "valueLength",
      "digest",
      "ops",
      "proof",
      "mode",
      "limits",
    ]);
    const valueLength = given.unchecked("valueLength");
    if (valueLength === undefined) {
      throw invalid("avl", "valueLength", "null, or an integer", "undefined");
    }
    // verifyBatch checks the unchecked members.
    const batch = verifyBatch({
      digest: hexMember("avl", given, "digest"),
      operations: given.list("ops").map(operation),
      proof: hexMember("avl", given, "proof"),
      keyLength: given.unchecked("keyLength") as number,
      valueLength: valueLength === null ? undefined : (valueLength as number),
      mode: given.unchecked("mode") as BatchInput["mode"],
      limits: given.unchecked("limits") as BatchInput["limits"],
      neighbours: true,
    });
    return answer(batch);
  },
};

/** The state transition of an Ergo block. */
export const ErgoAdProofs: Kind = {
  ...OPERATIONS,
  trusted: ({ parentStateRoot, stateRoot, adProofsRoot }) =>
    there({ parentStateRoot, stateRoot, adProofsRoot }),
  verify(input) {
    const given = new Arguments("avl", input, [
      "parentStateRoot",
      "stateRoot",
      "adProofsRoot",
      "ops",
      "proof",
    ]);
    const batch = verifyErgoAdProofs({
      parentStateRoot: hexMember("avl", given, "parentStateRoot"),
      stateRoot: hexMember("avl", given, "stateRoot"),
      adProofsRoot: hexMember("avl", given, "adProofsRoot"),
      operations: given.list("ops").map(operation),
      proof: hexMember("avl", given, "proof"),
      neighbours: true,
    });
    return answer(batch);
  },
};

function subjects(input: unknown): string[] {
  return (input as { ops: { op: string; key: string }[] }).ops.map(
    ({ op, key }) => `${op.padEnd("InsertOrUpdate".length)} ${key}`,
  );
}

function operation(op: unknown, index: number): Operation {
  const given = new Arguments("avl", op, ["op", "key", "value", "delta"], `ops[${index}]`);
  const has = (name: "value" | "delta") => given.unchecked(name) !== undefined;
  // verifyBatch checks that the operation exists and has exactly its members.
  return {
    op: given.unchecked("op"),
    key: hexMember("avl", given, "key"),
    ...(has("value") && { value: hexMember("avl", given, "value") }),
    ...(has("delta") && { delta: decimalMember("avl", given, "delta") }),
  } as Operation;
}

function answer({ digest, results }: VerifiedBatch<AbsentBetween>): Record<string, Json> {
  const hexOrNull = (bytes: Uint8Array | null) => bytes && toHex(bytes);
  // Results share values, so they can also share their digits.
  const digits = new Map<Uint8Array, string>();
  const hexOnce = (value: Uint8Array) => {
    const hex = digits.get(value) ?? toHex(value);
    digits.set(value, hex);
    return hex;
  };
  return {
    digest: toHex(digest),
    results: results.map((result) => (result.kind === "present" ? hexOnce(result.value) : null)),
    neighbours: results.map((result) =>
      result.kind === "present"
        ? null
        : { previous: hexOrNull(result.previous), next: hexOrNull(result.next) },
    ),
  };
}
