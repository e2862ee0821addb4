import { Arguments, invalid } from "../arguments.js";
import { describe } from "../error.js";
import type { Absent, Present } from "../result.js";
import { readCheckpoint } from "./checkpoint.js";
import type { Header } from "./header.js";
import { readScheme, type StateScheme } from "./schemes.js";
import { type SetupTrust, verifyState } from "./state.js";
import { type HeadInput, verifyAncestor, verifyHead } from "./sync.js";

/** The input of {@link verifyAnswer}. */
export interface AnswerInput extends HeadInput, SetupTrust {
  /** The scheme that proves the answer. */
  scheme: StateScheme;
  /** The `encoded` header of the block that the answer is about, if it is not the head's. */
  header?: Uint8Array | undefined;
  /** The path of `header` in the head's history; required with `header`, and only then. */
  path?: readonly Uint8Array[] | undefined;
  /** The raw keys. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
}

/** An answer about the state, verified from a checkpoint on. */
export interface VerifiedAnswer {
  /** The header of the answered block. */
  header: Header;
  /** A result for each key. */
  results: (Present | Absent)[];
}

/**
 * Verifies an answer about the state together with the headers that it needs.
 *
 * Throws like `verifyHead`, `verifyAncestor` and `verifyState`.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/vectors.md#8-stateanswer | The specification, vectors 8}
 */
export function verifyAnswer(input: AnswerInput): VerifiedAnswer {
  const given = new Arguments(undefined, input, ANSWER);
  const checkpoint = readCheckpoint(given.unchecked("checkpoint")).json;
  const older = readOlder(given);
  const scheme = readScheme(given.unchecked("scheme"));
  const head = verifyHead({
    checkpoint,
    head: given.bytes("head"),
    inclusion: bytesOf(given.list("inclusion")),
    now: given.u64("now"),
    maxClockSkew: given.optionalU64("maxClockSkew"),
    maxHeadAge: given.optionalU64("maxHeadAge"),
  });
  const header = older ? verifyAncestor({ head: head.encoded, ...older }) : head;
  const results = verifyState({
    scheme,
    config: checkpoint.config,
    header: header.encoded,
    keys: bytesOf(given.list("keys")),
    proof: given.bytes("proof"),
    allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
    verifyingKey: given.optionalBytes("verifyingKey"),
  });
  return { header, results };
}

const ANSWER = [
  "scheme",
  "checkpoint",
  "head",
  "inclusion",
  "now",
  "maxClockSkew",
  "maxHeadAge",
  "header",
  "path",
  "keys",
  "proof",
  "allowInsecureSetup",
  "verifyingKey",
] as const satisfies readonly (keyof AnswerInput)[];

/** The older header and its path: both or neither. A given header is never ignored. */
function readOlder(given: Arguments<(typeof ANSWER)[number]>) {
  const missing = (["header", "path"] as const).filter(
    (name) => given.unchecked(name) === undefined,
  );
  if (missing.length === 2) return undefined;
  const [name] = missing;
  if (name === undefined) {
    return { header: given.bytes("header"), inclusion: bytesOf(given.list("path")) };
  }
  throw invalid(undefined, name, "there, as the other of header and path is", describe(undefined));
}

/** Items that the verifiers below check, one by one. */
const bytesOf = (items: readonly unknown[]) => items as readonly Uint8Array[];
