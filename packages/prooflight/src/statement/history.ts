/** `StateHistory` and `StateDiff` of `test-vectors/spec/vectors.md`. */

import { Arguments } from "../arguments.js";
import { type Bytes, toHex } from "../bytes.js";
import { readCheckpoint } from "../chain/checkpoint.js";
import type { Header } from "../chain/header.js";
import { type BlockRangeInput, verifyDiff, verifyHistory } from "../chain/history.js";
import { readScheme } from "../chain/schemes.js";
import { HEAD, type HeadInput, type Older, verifyHeadOrOlder } from "../chain/sync.js";
import { describe, refuse } from "../error.js";
import { type Ability, SCHEMES } from "../schemes.js";
import { FROM_A_CHECKPOINT, olderInput, path, syncInput } from "./chain.js";
import { hexItems, hexMember, type Kind, quantity, there } from "./json.js";
import { averageJson, changeJson, changesJson } from "./smt.js";

/** The content of a bundle with a diff: the statement without the facts that its verifier must know. */
export const DIFF_BUNDLE = [
  "kind",
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

/** The content of a bundle with a history. */
export const HISTORY_BUNDLE = [...DIFF_BUNDLE, "key", "average"] as const;

/** The members of a statement whose bundle has `bundle`. */
const statement = <Name extends string>(bundle: readonly Name[]) => [
  ...HEAD,
  ...bundle.filter((member): member is Exclude<Name, "kind"> => member !== "kind"),
];

const OF_SMT = {
  ...FROM_A_CHECKPOINT,
  scheme: "smt",
  saysScheme: true,
} as const satisfies Partial<Kind>;

/** Every change of a key in a range of blocks, from a checkpoint on. */
export const StateHistory: Kind = {
  ...OF_SMT,
  question: ({ key, from, to, average }) => there({ key, from, to, average }),
  verify(input) {
    const given = new Arguments(undefined, input, statement(HISTORY_BUNDLE));
    const said = historyClaim(given);
    const { input: range } = acceptBlockRange(said, syncInput(given), abilityOf(said));
    const { key, from, average: asked } = said;
    const { history, average } = verifyHistory({ ...range, key, from, average: asked });
    return { ...changesJson(history), ...(average && { average: averageJson(average) }) };
  },
};

/** Every key that changed in a range of blocks, from a checkpoint on. */
export const StateDiff: Kind = {
  ...OF_SMT,
  question: ({ from, to }) => there({ from, to }),
  verify(input) {
    const given = new Arguments(undefined, input, statement(DIFF_BUNDLE));
    const said = diffClaim(given);
    const { input: range } = acceptBlockRange(said, syncInput(given), "diff");
    const { changes } = verifyDiff({ ...range, from: said.from });
    return {
      changes: changes.map(({ key, ...change }) => ({ key: toHex(key), ...changeJson(change) })),
    };
  },
};

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
export function historyClaim(given: Arguments<Exclude<(typeof HISTORY_BUNDLE)[number], "kind">>) {
  return {
    ...blockRangeClaim(given),
    key: hexMember("smt", given, "key"),
    from: quantity("smt", given.unchecked("from"), "from"),
    average: given.optionalBoolean("average") ?? false,
  };
}

/** Reads what a bundle says of a diff. */
export function diffClaim(given: Arguments<Exclude<(typeof DIFF_BUNDLE)[number], "kind">>) {
  const from = given.unchecked("from");
  return { ...blockRangeClaim(given), from: from === null ? null : quantity("smt", from, "from") };
}

function blockRangeClaim(
  given: Arguments<Exclude<(typeof DIFF_BUNDLE)[number], "kind" | "from">>,
): BlockRangeClaim {
  return {
    scheme: given.unchecked("scheme"),
    head: hexMember(undefined, given, "head"),
    inclusion: path(given.list("inclusion"), "inclusion"),
    older: olderInput(given),
    headers: hexItems(undefined, given.list("headers"), "headers"),
    hashes: path(given.list("hashes"), "hashes"),
    to: quantity("smt", given.unchecked("to"), "to"),
    proof: hexMember("smt", given, "proof"),
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
