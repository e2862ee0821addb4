/** `StateAnswer` of `test-vectors/spec/vectors.md`. */

import { Arguments, invalid, own } from "../arguments.js";
import { type Bytes, toHex, toQuantity } from "../bytes.js";
import { type AnswerInput, verifyAnswer } from "../chain/answer.js";
import { STATE_SCHEMES, type StateScheme } from "../chain/schemes.js";
import { HEAD } from "../chain/sync.js";
import { describe } from "../error.js";
import type { Absent, Present } from "../state.js";
import { init } from "../wasm/hash.js";
import { init as initLvmt } from "../wasm/lvmt.js";
import { olderInput, path, syncInput } from "./chain.js";
import { hexItems, hexMember, type Json, type Kind, optionalHex, there } from "./json.js";

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
  ...HEAD,
  "allowInsecureSetup",
  "verifyingKey",
] as const;

/** An answer about the state, verified from a checkpoint on. */
export const StateAnswer: Kind = {
  scheme: "avl",
  trusted: ({ checkpoint, now, maxClockSkew, maxHeadAge, allowInsecureSetup, verifyingKey }) =>
    there({ checkpoint, now, maxClockSkew, maxHeadAge, allowInsecureSetup, verifyingKey }),
  question: ({ keys }) => there({ keys }),
  asked: ["checkpoint", "now", "allowInsecureSetup", "verifyingKey"],
  ownKey: "verifyingKey",
  saysScheme: true,
  subjects: (input) => (input as { keys: string[] }).keys,
  init: async () => {
    await Promise.all([init(), initLvmt()]);
  },
  verify(input) {
    const given = new Arguments(undefined, input, ANSWER);
    const { header, results } = verifyAnswer({
      ...answerInput(given),
      ...syncInput(given),
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      verifyingKey: optionalHex("lvmt", given, "verifyingKey"),
    });
    return {
      height: toQuantity(header.height),
      headerHash: toHex(header.hash),
      values: results.map((result) => (result.kind === "present" ? toHex(result.value) : null)),
      // In avl, an absent key may have been written before, so the answer must not claim otherwise.
      ...(given.unchecked("scheme") !== "avl" && { states: results.map(stateJson) }),
    };
  },
};

/** The state of a key, with its last block, its version and its layer if the scheme shows them. */
export function stateJson(state: (Present | Absent) & { version?: bigint }): Record<string, Json> {
  const { since, deletedAt, version } = Object.fromEntries(
    (["since", "deletedAt", "version"] as const).map((name) => {
      const number = own(state, name);
      return [name, typeof number === "bigint" ? toQuantity(number) : undefined];
    }),
  );
  const layer = own(state, "layer");
  return state.kind === "present"
    ? there({ value: toHex(state.value), since, version, layer })
    : there({ deletedAt, version, layer });
}

/** The members of an answer that a server sends, as bytes. */
export function answerInput(
  given: Arguments<Exclude<(typeof BUNDLE)[number], "kind">>,
): Omit<AnswerInput, "checkpoint" | "now"> & { keys: Bytes[] } {
  const scheme = given.unchecked("scheme");
  if (typeof scheme !== "string") {
    throw invalid(undefined, "scheme", "the name of a scheme", describe(scheme));
  }
  const known = STATE_SCHEMES.find((name) => name === scheme);
  return {
    // verifyAnswer checks that the scheme can be verified.
    scheme: scheme as StateScheme,
    head: hexMember(undefined, given, "head"),
    inclusion: path(given.list("inclusion"), "inclusion"),
    ...olderInput(given),
    keys: hexItems(known, given.list("keys"), "keys"),
    proof: hexMember(known, given, "proof"),
  };
}
