import { Arguments } from "../arguments.js";
import type { Absent, Present } from "../state.js";
import { readCheckpoint } from "./checkpoint.js";
import type { Header } from "./header.js";
import { provesThePast, readScheme, type StateScheme } from "./schemes.js";
import { type SetupTrust, type StateInput, verifyState } from "./state.js";
import { ancestorOf, HEAD, type HeadInput, olderOf, verifyHead } from "./sync.js";

/** The input of {@link verifyAnswer}. */
export interface AnswerInput extends HeadInput, SetupTrust {
  /** The scheme that proves the answer. */
  scheme: StateScheme;
  /** The `encoded` header of the block that the answer is about, if it is not the head's. */
  header?: Uint8Array | undefined;
  /**
   * The path of `header` in the head's history; required with `header`, and only then. For `amb`, the proof is still
   * against the head's root.
   */
  path?: readonly Uint8Array[] | undefined;
  /** The raw keys. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
}

/** An answer about the state, verified from a checkpoint. */
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
 *
 * @example
 * ```ts
 * import { init, verifyAnswer } from "prooflight/chain";
 *
 * await init();
 * const trusted = { checkpoint, now: BigInt(Date.now()), maxHeadAge: 60_000n };
 * const received = { head: signedHead, inclusion, proof }; // from any server
 * const { header, results } = verifyAnswer({ ...trusted, ...received, scheme: "avl", keys: [key] });
 * console.log(results[0], "after block", header.height);
 * ```
 */
export function verifyAnswer(input: AnswerInput): VerifiedAnswer {
  const given = new Arguments(undefined, input, ANSWER);
  const checkpoint = readCheckpoint(given.unchecked("checkpoint")).json;
  const path = given.unchecked("path") === undefined ? undefined : given.bytesList("path");
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
  const newest = verifyHead(head);
  const header = older ? ancestorOf(newest, older) : newest;
  const results = verifyState({
    scheme,
    config: checkpoint.config,
    ...rootOf(scheme, newest, header),
    keys: bytesOf(given.list("keys")),
    proof: given.bytes("proof"),
    allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
    verifyingKey: given.optionalBytes("verifyingKey"),
  });
  return { header, results };
}

/** The header whose root proves the state after the block of `header`. */
export function rootOf(
  scheme: StateScheme,
  newest: Header,
  header: Header,
): Pick<StateInput, "header" | "at"> {
  if (!provesThePast(scheme)) return { header: header.encoded };
  return { header: newest.encoded, at: header.height };
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

/** Items that `verifyHead` and `verifyState` check one by one. */
const bytesOf = (items: readonly unknown[]) => items as readonly Uint8Array[];
