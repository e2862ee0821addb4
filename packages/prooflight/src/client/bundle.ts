import { Arguments } from "../arguments.js";
import { type Bytes, type Hex, toHex } from "../bytes.js";
import { type VerifiedAnswer, verifyAnswer } from "../chain/answer.js";
import type { Checkpoint } from "../chain/checkpoint.js";
import { initScheme, readScheme, type StateScheme } from "../chain/schemes.js";
import type { SetupTrust } from "../chain/state.js";
import type { Freshness } from "../chain/sync.js";
import { describe, refuse } from "../error.js";
import type { FromJson } from "../from-json.js";
import { answerInput, BUNDLE } from "../statement/answer.js";
import { init } from "../wasm/hash.js";

/**
 * An answer with its proof and headers, as JSON, to verify later without a server from the checkpoint that the
 * client pinned.
 *
 * It has the form of the vector type `StateAnswer`, without the members that only the verifier can know: the
 * checkpoint and the time.
 */
export interface Bundle {
  kind: "StateAnswer";
  scheme: StateScheme;
  /** The signed head. */
  head: Hex;
  /** The path of the checkpoint's header in the head's history. */
  inclusion: Hex[];
  /** The header of the block that the answer is about, if it is not the head's. */
  header?: Hex;
  /** The path of `header` in the head's history. */
  path?: Hex[];
  /** The raw keys. */
  keys: Hex[];
  /** The proof. */
  proof: Hex;
}

/** The trusted inputs of {@link verifyBundle}. */
export interface BundleTrust extends Freshness, SetupTrust {
  /** The checkpoint that the client pinned, from a source that the caller trusts. */
  checkpoint: FromJson<Checkpoint>;
  /** The caller's time, in milliseconds since 1970. Default: the clock's. */
  now?: bigint | undefined;
}

const TRUST = [
  "checkpoint",
  "now",
  "maxClockSkew",
  "maxHeadAge",
  "allowInsecureSetup",
  "verifyingKey",
] as const;

/** A saved answer that was verified. */
export interface VerifiedBundle extends VerifiedAnswer {
  /** The raw keys, in the order of the results. */
  keys: Bytes[];
}

/**
 * Verifies a saved answer without a server.
 *
 * Throws like `verifyAnswer` of `prooflight/chain`; `invalid_argument` for a malformed bundle, `unknown_statement`
 * for one of another kind.
 */
export async function verifyBundle(
  bundle: FromJson<Bundle>,
  trust: BundleTrust,
): Promise<VerifiedBundle> {
  await init();
  const given = new Arguments(undefined, bundle, BUNDLE, "bundle");
  const kind = given.unchecked("kind");
  if (kind !== "StateAnswer") {
    throw refuse("unknown_statement", "the kind StateAnswer", describe(kind));
  }
  const trusted = new Arguments(undefined, trust, TRUST, "trust");
  const said = answerInput(given);
  await initScheme(readScheme(said.scheme));
  const verified = verifyAnswer({
    ...said,
    // verifyAnswer checks the values.
    checkpoint: trusted.unchecked("checkpoint") as Checkpoint,
    now: trusted.optionalU64("now") ?? BigInt(Date.now()),
    maxClockSkew: trusted.optionalU64("maxClockSkew"),
    maxHeadAge: trusted.optionalU64("maxHeadAge"),
    allowInsecureSetup: trusted.optionalBoolean("allowInsecureSetup"),
    verifyingKey: trusted.optionalBytes("verifyingKey"),
  });
  return { ...verified, keys: said.keys };
}

/** The members of a bundle as bytes. */
export interface BundleParts {
  scheme: StateScheme;
  head: Uint8Array;
  inclusion: readonly Uint8Array[];
  older: { header: Uint8Array; path: readonly Uint8Array[] } | undefined;
  keys: readonly Uint8Array[];
  proof: Uint8Array;
}

/** Writes a bundle. */
export function writeBundle({ scheme, head, inclusion, older, keys, proof }: BundleParts): Bundle {
  const hex = (bytes: Uint8Array) => toHex(bytes) as Hex;
  return {
    kind: "StateAnswer",
    scheme,
    head: hex(head),
    inclusion: inclusion.map(hex),
    ...(older && { header: hex(older.header), path: older.path.map(hex) }),
    keys: keys.map(hex),
    proof: hex(proof),
  };
}
