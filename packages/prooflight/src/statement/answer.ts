/** `StateAnswer` of `test-vectors/spec/vectors.md`. */

import { invalid, own } from "../arguments.js";
import { type Bytes, toHex, toQuantity } from "../bytes.js";
import { type AnswerInput, verifyAnswer } from "../chain/answer.js";
import type { StateScheme } from "../chain/schemes.js";
import { describe } from "../error.js";
import type { Absent, Present } from "../state.js";
import { init } from "../wasm/hash.js";
import { init as initLvmt } from "../wasm/lvmt.js";
import { FROM_A_CHECKPOINT, olderInput, syncInput } from "./chain.js";
import { type Json, type JsonMembers, keysOf, kind, there } from "./json.js";

/** What a server says of an answer. */
const ANSWER = ["scheme", "head", "inclusion", "header", "path", "keys", "proof"] as const;

/** The content of a bundle: an answer without the facts that its verifier must know. */
export const BUNDLE = ["kind", ...ANSWER] as const;

/** An answer about the state, verified from a checkpoint on. */
export const StateAnswer = kind({
  scheme: "avl",
  trusted: [...FROM_A_CHECKPOINT.trusted, "allowInsecureSetup", "verifyingKey"],
  question: ["keys"],
  evidence: ANSWER,
  asked: [...FROM_A_CHECKPOINT.asked, "allowInsecureSetup", "verifyingKey"],
  ownKey: "verifyingKey",
  saysScheme: true,
  subjects: keysOf,
  init: async () => {
    await Promise.all([init(), initLvmt()]);
  },
  verify(given) {
    const { header, results } = verifyAnswer({
      ...answerInput(given),
      ...syncInput(given),
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      verifyingKey: given.optionalHex("verifyingKey"),
    });
    return {
      height: toQuantity(header.height),
      headerHash: toHex(header.hash),
      values: results.map((result) => (result.kind === "present" ? toHex(result.value) : null)),
      // In avl, an absent key may have been written before, so the answer must not claim otherwise.
      ...(given.unchecked("scheme") !== "avl" && { states: results.map(stateJson) }),
    };
  },
});

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
  given: JsonMembers<(typeof ANSWER)[number]>,
): Omit<AnswerInput, "checkpoint" | "now"> & { keys: Bytes[] } {
  const scheme = given.unchecked("scheme");
  if (typeof scheme !== "string") {
    throw invalid(undefined, "scheme", "the name of a scheme", describe(scheme));
  }
  return {
    // verifyAnswer checks that the scheme can be verified.
    scheme: scheme as StateScheme,
    head: given.hex("head"),
    inclusion: given.hashes("inclusion"),
    ...olderInput(given),
    keys: given.hexList("keys"),
    proof: given.hex("proof"),
  };
}
