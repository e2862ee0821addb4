/** `BlockTransition` and `StateBlock` of `test-vectors/spec/vectors.md`. */

import { type Bytes, toHex } from "../bytes.js";
import { verifyBlock } from "../chain/block.js";
import type { StateOperation } from "../state.js";
import { type Json, type JsonMembers, kind } from "./json.js";

/** A block's operations and their effect on the state. */
export const BlockTransition = kind({
  scheme: "avl",
  trusted: ["digest", "header", "limits"],
  question: ["ops"],
  evidence: ["proof"],
  verify: (given) => verified(given, { digest: given.hex("digest") }),
});

/** The same after a parent, after a digest, or at the beginning of a chain. */
export const StateBlock = kind({
  scheme: "avl",
  trusted: ["parent", "digest", "header", "limits"],
  question: ["ops"],
  evidence: ["proof"],
  verify: (given) =>
    verified(given, { parent: given.optionalHex("parent"), digest: given.optionalHex("digest") }),
});

function verified(
  given: JsonMembers<"header" | "limits" | "ops" | "proof">,
  before: { parent?: Bytes | undefined; digest?: Bytes | undefined },
): Record<string, Json> {
  const digest = verifyBlock({
    ...before,
    header: given.hex("header"),
    // verifyBlock checks the unchecked members.
    limits: given.unchecked("limits") as never,
    operations: given.objects("ops", ["op", "key", "value"]).map(operation),
    proof: given.hex("proof"),
  });
  return { digest: toHex(digest) };
}

function operation(given: JsonMembers<"op" | "key" | "value">): StateOperation {
  const value = given.optionalHex("value");
  // verifyBlock checks that the operation exists and has exactly its members.
  const read = { op: given.unchecked("op"), key: given.hex("key"), ...(value && { value }) };
  return read as StateOperation;
}
