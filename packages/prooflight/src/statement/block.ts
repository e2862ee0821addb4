/** `BlockTransition` and `StateBlock` of `test-vectors/spec/vectors.md`. */

import { Arguments } from "../arguments.js";
import { type Bytes, toHex } from "../bytes.js";
import { verifyBlock } from "../chain/block.js";
import type { StateOperation } from "../state.js";
import { init } from "../wasm/hash.js";
import { hexMember, type Json, type Kind, optionalHex, there } from "./json.js";

const BLOCK = ["digest", "header", "limits", "ops", "proof"] as const;

/** A block's operations and their effect on the state. */
export const BlockTransition: Kind = {
  scheme: "avl",
  trusted: ({ digest, header, limits }) => there({ digest, header, limits }),
  question: ({ ops }) => there({ ops }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("avl", input, BLOCK);
    return verified(given, { digest: hexMember("avl", given, "digest") });
  },
};

/** The same after a parent, after a digest, or at the beginning of a chain. */
export const StateBlock: Kind = {
  scheme: "avl",
  trusted: ({ parent, digest, header, limits }) => there({ parent, digest, header, limits }),
  question: ({ ops }) => there({ ops }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("avl", input, ["parent", ...BLOCK]);
    const parent = optionalHex("avl", given, "parent");
    return verified(given, { parent, digest: optionalHex("avl", given, "digest") });
  },
};

function verified<Name extends string>(
  given: Arguments<Name | (typeof BLOCK)[number]>,
  before: { parent?: Bytes | undefined; digest?: Bytes | undefined },
): Record<string, Json> {
  const digest = verifyBlock({
    ...before,
    header: hexMember("avl", given, "header"),
    // verifyBlock checks the unchecked members.
    limits: given.unchecked("limits") as never,
    operations: given.list("ops").map(operation),
    proof: hexMember("avl", given, "proof"),
  });
  return { digest: toHex(digest) };
}

function operation(op: unknown, index: number): StateOperation {
  const given = new Arguments("avl", op, ["op", "key", "value"], `ops[${index}]`);
  const value: { value?: Bytes } =
    given.unchecked("value") === undefined ? {} : { value: hexMember("avl", given, "value") };
  // verifyBlock checks that the operation exists and has exactly its members.
  const read = { op: given.unchecked("op"), key: hexMember("avl", given, "key"), ...value };
  return read as StateOperation;
}
