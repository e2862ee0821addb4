/** `AvlBatch` and `ErgoAdProofs` of `test-vectors/spec/vectors.md`. */

import { invalid } from "../arguments.js";
import type { Operation } from "../avl/operation.js";
import type { AbsentBetween, VerifiedBatch } from "../avl/result.js";
import { type BatchInput, verifyBatch, verifyErgoAdProofs } from "../avl/verify.js";
import { toHex } from "../bytes.js";
import { type Json, type JsonMembers, kind, there } from "./json.js";

/** A batch of operations on a dictionary. */
export const AvlBatch = kind({
  scheme: "avl",
  // A digest authenticates neither the lengths nor the mode.
  trusted: ({ digest, keyLength, valueLength, mode = "strict", limits }) =>
    there({ digest, keyLength, valueLength, mode, limits }),
  question: ["ops"],
  evidence: ["keyLength", "valueLength", "digest", "proof", "mode", "limits"],
  subjects,
  verify(given) {
    const valueLength = given.unchecked("valueLength");
    if (valueLength === undefined) {
      throw invalid("avl", "valueLength", "null, or an integer", "undefined");
    }
    // verifyBatch checks the unchecked members.
    const batch = verifyBatch({
      digest: given.hex("digest"),
      operations: operations(given),
      proof: given.hex("proof"),
      keyLength: given.unchecked("keyLength") as number,
      valueLength: valueLength === null ? undefined : (valueLength as number),
      mode: given.unchecked("mode") as BatchInput["mode"],
      limits: given.unchecked("limits") as BatchInput["limits"],
      neighbours: true,
    });
    return answer(batch);
  },
});

/** The state transition of an Ergo block. */
export const ErgoAdProofs = kind({
  scheme: "avl",
  trusted: ["parentStateRoot", "stateRoot", "adProofsRoot"],
  question: ["ops"],
  evidence: ["proof"],
  subjects,
  verify(given) {
    const batch = verifyErgoAdProofs({
      parentStateRoot: given.hex("parentStateRoot"),
      stateRoot: given.hex("stateRoot"),
      adProofsRoot: given.hex("adProofsRoot"),
      operations: operations(given),
      proof: given.hex("proof"),
      neighbours: true,
    });
    return answer(batch);
  },
});

function subjects(input: unknown): string[] {
  return (input as { ops: { op: string; key: string }[] }).ops.map(
    ({ op, key }) => `${op.padEnd("InsertOrUpdate".length)} ${key}`,
  );
}

const operations = (given: JsonMembers<"ops">): Operation[] =>
  given.objects("ops", ["op", "key", "value", "delta"]).map((given) => {
    const value = given.optionalHex("value");
    const delta = given.unchecked("delta") === undefined ? undefined : given.decimal("delta");
    // verifyBatch checks that the operation exists and has exactly its members.
    return {
      ...{ op: given.unchecked("op"), key: given.hex("key") },
      ...(value && { value }),
      ...(delta !== undefined && { delta }),
    } as Operation;
  });

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
