/** Makes bundles of what a client verified, and verifies them without a server. */

import { Arguments, type FromJson, invalid, own } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { type VerifiedAnswer, verifyAnswer } from "../chain/answer.js";
import { type Checkpoint, readCheckpoint } from "../chain/checkpoint.js";
import { verifyDiff, verifyHistory } from "../chain/history.js";
import { initScheme, readScheme } from "../chain/schemes.js";
import type { SetupTrust } from "../chain/state.js";
import type { Freshness } from "../chain/sync.js";
import { describe, refuse } from "../error.js";
import type { Average } from "../smt/twap.js";
import { answerInput, BUNDLE } from "../statement/answer.js";
import {
  abilityOf,
  acceptBlockRange,
  DIFF_BUNDLE,
  diffClaim,
  HISTORY_BUNDLE,
  historyClaim,
} from "../statement/history.js";
import { JsonMembers } from "../statement/json.js";
import { init } from "../wasm/hash.js";
import type { Answer } from "./answers.js";
import {
  type AnswerBundle,
  type Bundle,
  bundleOf,
  type DiffBundle,
  type HistoryBundle,
} from "./bundle.js";
import {
  type Diff,
  diffOf,
  type History,
  historyOf,
  type TimeWeightedAverage,
  type VerifiedDiff,
  type VerifiedHistory,
} from "./history.js";

/**
 * Returns the result of a `LightClient` of this program together with its proof, as JSON to save and verify offline.
 *
 * A result is an answer, which stands for all answers of its request, a history, an average, whose bundle has its
 * history, or a diff.
 *
 * Throws `invalid_input` / `invalid_argument` for anything else, such as a copy.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/vectors.md#8-stateanswer | The specification, vectors 8}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/follow-a-chain.md | Follow a chain}
 *
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { toBundle } from "prooflight";
 *
 * const answer = await client.get({ text: "account/alice" });
 * writeFileSync("alice.json", JSON.stringify(toBundle(answer)));
 * ```
 */
export function toBundle(given: Answer): AnswerBundle;
export function toBundle(given: History | TimeWeightedAverage): HistoryBundle;
export function toBundle(given: Diff): DiffBundle;
export function toBundle(given: Answer | History | TimeWeightedAverage | Diff): Bundle {
  const bundle = bundleOf(given);
  if (bundle) return bundle;
  const expected = "an answer, a history, an average or a diff returned by a LightClient";
  throw invalid(undefined, "the answer", expected, describe(given));
}

/** The trusted inputs of {@link verifyBundle}. */
export interface BundleTrust extends Freshness, SetupTrust {
  /** The checkpoint that the client pinned, from a source that the caller trusts. */
  checkpoint: FromJson<Checkpoint>;
  /** The caller's time, in milliseconds since 1970. Default: the clock's. */
  now?: bigint | undefined;
}

/** Saved answers that were verified. */
export interface VerifiedAnswerBundle extends VerifiedAnswer {
  kind: "StateAnswer";
  /** The raw keys, in the order of the results. */
  keys: Bytes[];
}

/** A saved history that was verified. */
export interface VerifiedHistoryBundle extends VerifiedHistory {
  kind: "StateHistory";
  /** The average, if the bundle was made from an average. */
  average: Average | undefined;
}

/** A saved diff that was verified. */
export interface VerifiedDiffBundle extends VerifiedDiff {
  kind: "StateDiff";
}

/** The verified contents of a bundle; `kind` says which. */
export type VerifiedBundle = VerifiedAnswerBundle | VerifiedHistoryBundle | VerifiedDiffBundle;

/**
 * Verifies a bundle without a server.
 *
 * The result names the keys and blocks that it is about: compare them with what you wanted to know. Throws like
 * `verifyAnswer` of `prooflight/chain`; `invalid_input` / `invalid_argument` for a malformed bundle,
 * `unsupported` / `unknown_statement` for one of another kind.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/vectors.md#8-stateanswer | The specification, vectors 8}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/follow-a-chain.md | Follow a chain}
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { type AnswerBundle, toHex, verifyBundle } from "prooflight";
 *
 * const bundle = JSON.parse(readFileSync("alice.json", "utf8")) as AnswerBundle;
 * const { keys, results, header } = await verifyBundle(bundle, { checkpoint });
 * keys.forEach((key, i) => console.log(toHex(key), results[i], "after block", header.height));
 * ```
 */
export async function verifyBundle<Given extends FromJson<Bundle>>(
  bundle: Given,
  trust: BundleTrust,
): Promise<Extract<VerifiedBundle, { kind: Given["kind"] }>>;
export async function verifyBundle(bundle: unknown, trust: BundleTrust): Promise<VerifiedBundle> {
  // Everything is read before the first await, so that the caller may change it afterwards.
  const verify = readBundle(bundle, trust);
  await init();
  return verify();
}

function readBundle(
  bundle: unknown,
  trust: BundleTrust,
): () => VerifiedBundle | Promise<VerifiedBundle> {
  if (typeof bundle !== "object" || bundle === null) {
    throw invalid(undefined, "bundle", "an object", describe(bundle));
  }
  const kind = own(bundle, "kind");
  switch (kind) {
    case "StateAnswer":
      return savedAnswer(new JsonMembers(undefined, bundle, BUNDLE, "bundle", { kind }), trust);
    case "StateHistory":
      return savedHistory(
        new JsonMembers(undefined, bundle, HISTORY_BUNDLE, "bundle", { kind }),
        trust,
      );
    case "StateDiff":
      return savedDiff(new JsonMembers(undefined, bundle, DIFF_BUNDLE, "bundle", { kind }), trust);
  }
  const expected = "the kind StateAnswer, StateHistory or StateDiff";
  throw refuse("unknown_statement", expected, describe(kind));
}

function savedAnswer(
  bundle: JsonMembers<(typeof BUNDLE)[number]>,
  trust: BundleTrust,
): () => Promise<VerifiedAnswerBundle> {
  const said = answerInput(bundle);
  const trusted = readTrust(trust);
  return async () => {
    await initScheme(readScheme(said.scheme));
    const { header, results } = verifyAnswer({ ...said, ...trusted.sync, ...trusted.setup });
    return { kind: "StateAnswer", header, results, keys: said.keys };
  };
}

function savedHistory(
  bundle: JsonMembers<(typeof HISTORY_BUNDLE)[number]>,
  trust: BundleTrust,
): () => VerifiedHistoryBundle {
  const said = historyClaim(bundle);
  const trusted = readTrust(trust);
  return () => {
    const range = acceptBlockRange(said, trusted.sync, abilityOf(said));
    const { key, from, average } = said;
    const proved = verifyHistory({ ...range.input, key, from, average });
    return { kind: "StateHistory", ...historyOf(range, said, proved), average: proved.average };
  };
}

function savedDiff(
  bundle: JsonMembers<(typeof DIFF_BUNDLE)[number]>,
  trust: BundleTrust,
): () => VerifiedDiffBundle {
  const said = diffClaim(bundle);
  const trusted = readTrust(trust);
  return () => {
    const range = acceptBlockRange(said, trusted.sync, "diff");
    const { from } = said;
    return { kind: "StateDiff", ...diffOf(range, from, verifyDiff({ ...range.input, from })) };
  };
}

const TRUST = [
  "checkpoint",
  "now",
  "maxClockSkew",
  "maxHeadAge",
  "allowInsecureSetup",
  "verifyingKey",
] as const;

function readTrust(trust: BundleTrust) {
  const given = new Arguments(undefined, trust, TRUST, "trust");
  return {
    sync: {
      checkpoint: readCheckpoint(given.unchecked("checkpoint")).json,
      now: given.optionalU64("now") ?? BigInt(Date.now()),
      maxClockSkew: given.optionalU64("maxClockSkew"),
      maxHeadAge: given.optionalU64("maxHeadAge"),
    },
    setup: {
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      verifyingKey: given.optionalBytes("verifyingKey")?.slice(),
    },
  };
}
