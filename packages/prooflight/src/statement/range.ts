/** `StateHistory` and `StateDiff` of `test-vectors/spec/vectors.md`. */

import { Arguments } from "../arguments.js";
import { toHex } from "../bytes.js";
import { readCheckpoint } from "../chain/checkpoint.js";
import { type RangeInput, verifyDiff, verifyHistory } from "../chain/range.js";
import { readScheme } from "../chain/schemes.js";
import { verifyHead } from "../chain/sync.js";
import { describe, refuse } from "../error.js";
import { init } from "../wasm/hash.js";
import { path, SYNC, syncInput } from "./chain.js";
import { hexItems, hexMember, quantity, there } from "./json.js";
import type { Kind } from "./kind.js";
import { averageJson, changeJson, changesJson } from "./smt.js";

const RANGE = [...SYNC, "scheme", "headers", "hashes", "to", "proof"] as const;

const FROM_A_CHECKPOINT = {
  scheme: "smt",
  trusted: ({ checkpoint, now, maxClockSkew, maxHeadAge }) =>
    there({ checkpoint, now, maxClockSkew, maxHeadAge }),
  asked: ["checkpoint", "now"],
  saysScheme: true,
  subjects: () => [],
  init,
} as const satisfies Partial<Kind>;

/** Every change of a key in a range of blocks, from a checkpoint on. */
export const StateHistory: Kind = {
  ...FROM_A_CHECKPOINT,
  question: ({ key, from, to, average }) => there({ key, from, to, average }),
  verify(input) {
    const given = new Arguments(undefined, input, [...RANGE, "key", "from", "average"]);
    const asked = {
      key: hexMember("smt", given, "key"),
      from: quantity("smt", given.unchecked("from"), "from"),
      average: given.optionalBoolean("average") ?? false,
    };
    const { history, average } = verifyHistory({ ...range(given), ...asked });
    return { ...changesJson(history), ...(average && { average: averageJson(average) }) };
  },
};

/** Every key that changed in a range of blocks, from a checkpoint on. */
export const StateDiff: Kind = {
  ...FROM_A_CHECKPOINT,
  question: ({ from, to }) => there({ from, to }),
  verify(input) {
    const given = new Arguments(undefined, input, [...RANGE, "from"]);
    const from =
      given.unchecked("from") === null ? null : quantity("smt", given.unchecked("from"), "from");
    const { changes } = verifyDiff({ ...range(given), from });
    return {
      changes: changes.map(({ key, ...change }) => ({ key: toHex(key), ...changeJson(change) })),
    };
  },
};

/** The accepted head, and the given range. */
function range<Name extends string>(given: Arguments<Name | (typeof RANGE)[number]>): RangeInput {
  const rest = {
    headers: hexItems(undefined, given.list("headers"), "headers"),
    hashes: path(given.list("hashes"), "hashes"),
    to: quantity("smt", given.unchecked("to"), "to"),
    proof: hexMember("smt", given, "proof"),
  };
  const sync = syncInput(given);
  const checkpoint = readCheckpoint(sync.checkpoint).json;
  const scheme = given.unchecked("scheme");
  if (readScheme(scheme) !== "smt") {
    throw refuse("unknown_statement", "a scheme that proves ranges", describe(scheme));
  }
  return { config: checkpoint.config, head: verifyHead({ ...sync, checkpoint }).encoded, ...rest };
}
