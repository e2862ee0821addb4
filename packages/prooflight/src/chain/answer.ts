import { Arguments } from "../arguments.js";
import type { Absent, Present } from "../result.js";
import { readCheckpoint } from "./checkpoint.js";
import type { Header } from "./header.js";
import { readScheme, type StateScheme } from "./schemes.js";
import { type SetupTrust, verifyState } from "./state.js";
import { HEAD, type HeadInput, olderOf, verifyHeadOrOlder } from "./sync.js";

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
  const path = given.unchecked("path") === undefined ? undefined : bytesOf(given.list("path"));
  const older = olderOf(given.optionalBytes("header"), path);
  const scheme = readScheme(given.unchecked("scheme"));
  const head = {
    checkpoint,
    head: given.bytes("head"),
    inclusion: bytesOf(given.list("inclusion")),
    now: given.u64("now"),
    maxClockSkew: given.optionalU64("maxClockSkew"),
    maxHeadAge: given.optionalU64("maxHeadAge"),
  };
  const header = verifyHeadOrOlder(head, older);
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
  ...HEAD,
  "scheme",
  "header",
  "path",
  "keys",
  "proof",
  "allowInsecureSetup",
  "verifyingKey",
] as const satisfies readonly (keyof AnswerInput)[];

/** Items that the verifiers below check, one by one. */
const bytesOf = (items: readonly unknown[]) => items as readonly Uint8Array[];
