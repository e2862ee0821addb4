/** `StateRange` and `StateCount` of `test-vectors/spec/vectors.md`. */

import { toQuantity } from "../bytes.js";
import { readCheckpoint } from "../chain/checkpoint.js";
import { readScheme } from "../chain/schemes.js";
import { verifyStateCount, verifyStateRange } from "../chain/state.js";
import { HEAD, verifyHeadOrOlder } from "../chain/sync.js";
import { refuse } from "../error.js";
import { type Ability, SCHEMES } from "../schemes.js";
import { entryJson, pageJson } from "./amb.js";
import { answer, FROM_A_CHECKPOINT, olderInput, syncInput } from "./chain.js";
import { type JsonMembers, kind } from "./json.js";

const COUNT = [...HEAD, "scheme", "header", "path", "lo", "hi", "proof"] as const;

const OF_AMB = {
  ...FROM_A_CHECKPOINT,
  scheme: "amb",
  saysScheme: true,
} as const;

/** All keys between two bounds after a block, or a page of them, from a checkpoint on. */
export const StateRange = kind({
  ...OF_AMB,
  question: ["at", "lo", "hi", "reverse"],
  evidence: COUNT,
  verify(given) {
    const at = given.quantity("at");
    const reverse = given.boolean("reverse");
    const { header, ...statement } = accept(given, "range");
    const page = verifyStateRange({ ...statement, header: header.encoded, at, reverse });
    return { ...answer(header), ...pageJson(page, entryJson) };
  },
});

/** The number of keys between two bounds after a block, from a checkpoint on. */
export const StateCount = kind({
  ...OF_AMB,
  question: ["lo", "hi"],
  evidence: COUNT,
  verify(given) {
    const { header, ...statement } = accept(given, "count");
    const count = verifyStateCount({ ...statement, header: header.encoded });
    return { ...answer(header), count: toQuantity(count) };
  },
});

/** Accepts the header whose root proves the answer. The form of all members is checked first, then the scheme. */
function accept(given: JsonMembers<(typeof COUNT)[number]>, ability: Ability) {
  const older = olderInput(given);
  const lo = given.hex("lo");
  const hi = given.unchecked("hi") === null ? null : given.hex("hi");
  const proof = given.hex("proof");
  const sync = syncInput(given);
  const checkpoint = readCheckpoint(sync.checkpoint).json;
  const scheme = readScheme(given.unchecked("scheme"));
  if (!SCHEMES[scheme].abilities.includes(ability)) {
    throw refuse("unknown_statement", "a scheme that keeps the order of keys", scheme);
  }
  const header = verifyHeadOrOlder({ ...sync, checkpoint }, older);
  return { scheme, config: checkpoint.config, header, lo, hi, proof };
}
