/** `StateHistory` and `StateDiff` of `test-vectors/spec/vectors.md`. */

import type { Bytes } from "../bytes.js";
import { readCheckpoint } from "../chain/checkpoint.js";
import type { Header } from "../chain/header.js";
import { type BlockRangeInput, verifyDiff, verifyHistory } from "../chain/history.js";
import { readScheme } from "../chain/schemes.js";
import { HEAD, type HeadInput, type Older, verifyHeadOrOlder } from "../chain/sync.js";
import { describe, refuse } from "../error.js";
import { type Ability, SCHEMES } from "../schemes.js";
import { FROM_A_CHECKPOINT, olderInput, syncInput } from "./chain.js";
import { type JsonMembers, kind } from "./json.js";
import { averageJson, changesJson, keyChangeJson } from "./smt.js";

/** What a server says of a diff. */
const DIFF = [
  "scheme",
  "head",
  "inclusion",
  "header",
  "path",
  "headers",
  "hashes",
  "from",
  "to",
  "proof",
] as const;

/** What a server says of a history. */
const HISTORY = [...DIFF, "key", "average"] as const;

/** The content of a bundle with a diff: the statement without the facts that its verifier must know. */
export const DIFF_BUNDLE = ["kind", ...DIFF] as const;

/** The content of a bundle with a history. */
export const HISTORY_BUNDLE = ["kind", ...HISTORY] as const;

const OF_SMT = {
  ...FROM_A_CHECKPOINT,
  scheme: "smt",
  saysScheme: true,
} as const;

/** Every change of a key in a range of blocks, from a checkpoint on. */
export const StateHistory = kind({
  ...OF_SMT,
  question: ["key", "from", "to", "average"],
  evidence: [...HEAD, ...HISTORY],
  verify(given) {
    const said = historyClaim(given);
    const { input: range } = acceptBlockRange(said, syncInput(given), abilityOf(said));
    const { key, from, average: asked } = said;
    const { history, average } = verifyHistory({ ...range, key, from, average: asked });
    return { ...changesJson(history), ...(average && { average: averageJson(average) }) };
  },
});

/** Every key that changed in a range of blocks, from a checkpoint on. */
export const StateDiff = kind({
  ...OF_SMT,
  question: ["from", "to"],
  evidence: [...HEAD, ...DIFF],
  verify(given) {
    const said = diffClaim(given);
    const { input: range } = acceptBlockRange(said, syncInput(given), "diff");
    const { changes } = verifyDiff({ ...range, from: said.from });
    return { changes: changes.map(keyChangeJson) };
  },
});

/** The members of a range that a server sends, as bytes. */
export interface BlockRangeClaim {
  scheme: unknown;
  head: Bytes;
  inclusion: Bytes[];
  older: Older | undefined;
  headers: Bytes[];
  hashes: Bytes[];
  to: bigint;
  proof: Bytes;
}

/** Reads what a bundle says of a history. */
export function historyClaim(given: JsonMembers<(typeof HISTORY)[number]>) {
  return {
    ...blockRangeClaim(given),
    key: given.hex("key"),
    from: given.quantity("from"),
    average: given.optionalBoolean("average") ?? false,
  };
}

/** Reads what a bundle says of a diff. */
export function diffClaim(given: JsonMembers<(typeof DIFF)[number]>) {
  const from = given.unchecked("from") === null ? null : given.quantity("from");
  return { ...blockRangeClaim(given), from };
}

function blockRangeClaim(
  given: JsonMembers<Exclude<(typeof DIFF)[number], "from">>,
): BlockRangeClaim {
  return {
    scheme: given.unchecked("scheme"),
    head: given.hex("head"),
    inclusion: given.hashes("inclusion"),
    older: olderInput(given),
    headers: given.hexList("headers"),
    hashes: given.hashes("hashes"),
    to: given.quantity("to"),
    proof: given.hex("proof"),
  };
}

/** What the scheme of a history must prove. */
export const abilityOf = ({ average }: { average: boolean }): Ability =>
  average ? "average" : "history";

/** Accepts the head of a range, by what only the verifying party can know. */
export function acceptBlockRange(
  said: BlockRangeClaim,
  trust: Omit<HeadInput, "head" | "inclusion">,
  ability: Ability,
): { head: Header; input: BlockRangeInput } {
  const { head, inclusion, older, headers, hashes, to, proof } = said;
  const checkpoint = readCheckpoint(trust.checkpoint).json;
  const scheme = readScheme(said.scheme);
  if (!SCHEMES[scheme].abilities.includes(ability)) {
    throw refuse("unknown_statement", "a scheme that proves ranges", describe(scheme));
  }
  const newest = verifyHeadOrOlder({ ...trust, checkpoint, head, inclusion }, older);
  const { config } = checkpoint;
  return {
    head: newest,
    input: { scheme, config, head: newest.encoded, headers, hashes, to, proof },
  };
}
