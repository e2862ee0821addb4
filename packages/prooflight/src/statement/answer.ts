/** `StateAnswer` and `BlockTransition` of `test-vectors/spec/vectors.md`. */

import { Arguments, invalid } from "../arguments.js";
import { type Bytes, toHex } from "../bytes.js";
import { type AnswerInput, verifyAnswer } from "../chain/answer.js";
import { STATE_SCHEMES, type StateScheme } from "../chain/schemes.js";
import { toQuantity } from "../chain/quantity.js";
import { type StateOperation, verifyBlock } from "../chain/block.js";
import { describe } from "../error.js";
import { init } from "../wasm/hash.js";
import { init as initLvmt } from "../wasm/lvmt.js";
import { path, SYNC, syncInput } from "./chain.js";
import { hexItems, hexMember, there } from "./json.js";
import type { Kind } from "./kind.js";

/** The content of a bundle: an answer without the facts that its verifier must know. */
export const BUNDLE = [
  "kind",
  "scheme",
  "head",
  "inclusion",
  "header",
  "path",
  "keys",
  "proof",
] as const;

const ANSWER = [
  ...BUNDLE.filter((member) => member !== "kind"),
  ...SYNC,
  "allowInsecureSetup",
] as const;

/** An answer about the state, verified from a checkpoint on. */
export const StateAnswer: Kind = {
  scheme: "avl",
  trusted: ({ checkpoint, now, maxClockSkew, maxHeadAge, allowInsecureSetup }) =>
    there({ checkpoint, now, maxClockSkew, maxHeadAge, allowInsecureSetup }),
  question: ({ keys }) => there({ keys }),
  asked: ["checkpoint", "now", "allowInsecureSetup", "verifyingKey"],
  saysScheme: true,
  subjects: (input) => (input as { keys: string[] }).keys,
  init: async () => {
    await Promise.all([init(), initLvmt()]);
  },
  verify(input, verifyingKey) {
    const given = new Arguments(undefined, input, ANSWER);
    const { header, results } = verifyAnswer({
      ...answerInput(given),
      ...syncInput(given),
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      verifyingKey,
    });
    return {
      height: toQuantity(header.height),
      headerHash: toHex(header.hash),
      values: results.map((result) => (result.kind === "present" ? toHex(result.value) : null)),
    };
  },
};

/** A block's operations and their effect on the state. */
export const BlockTransition: Kind = {
  scheme: "avl",
  trusted: ({ digest, header, limits }) => there({ digest, header, limits }),
  question: ({ ops }) => there({ ops }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("avl", input, ["digest", "header", "limits", "ops", "proof"]);
    const digest = verifyBlock({
      digest: hexMember("avl", given, "digest"),
      header: hexMember("avl", given, "header"),
      // verifyBlock checks what is passed on as it is.
      limits: given.unchecked("limits") as never,
      operations: given.list("ops").map(operation),
      proof: hexMember("avl", given, "proof"),
    });
    return { digest: toHex(digest) };
  },
};

/** The members of an answer that a server sends, as bytes. */
export function answerInput(
  given: Arguments<Exclude<(typeof BUNDLE)[number], "kind">>,
): Omit<AnswerInput, "checkpoint" | "now"> & { keys: Bytes[] } {
  const scheme = given.unchecked("scheme");
  if (typeof scheme !== "string") {
    throw invalid(undefined, "scheme", "the name of a scheme", describe(scheme));
  }
  const has = (name: "header" | "path") => given.unchecked(name) !== undefined;
  const known = STATE_SCHEMES.find((name) => name === scheme);
  return {
    // verifyAnswer checks that it is one that can be verified.
    scheme: scheme as StateScheme,
    head: hexMember(undefined, given, "head"),
    inclusion: path(given.list("inclusion"), "inclusion"),
    ...(has("header") && { header: hexMember(undefined, given, "header") }),
    ...(has("path") && { path: path(given.list("path"), "path") }),
    keys: hexItems(known, given.list("keys"), "keys"),
    proof: hexMember(known, given, "proof"),
  };
}

function operation(op: unknown, index: number): StateOperation {
  const given = new Arguments("avl", op, ["op", "key", "value"], `ops[${index}]`);
  const value: { value?: Bytes } =
    given.unchecked("value") === undefined ? {} : { value: hexMember("avl", given, "value") };
  // verifyBlock checks that the operation exists and has what it needs, and no more.
  const read = { op: given.unchecked("op"), key: hexMember("avl", given, "key"), ...value };
  return read as StateOperation;
}
