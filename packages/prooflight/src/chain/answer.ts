import { invalid } from "../arguments.js";
import type { Absent, Present } from "../avl/result.js";
import type { Bytes } from "../bytes.js";
import { describe, refuse } from "../error.js";
import { type ChainLimits, readCheckpoint } from "./checkpoint.js";
import type { Header } from "./header.js";
import { verifyState } from "./state.js";
import { type HeadInput, verifyAncestor, verifyHead } from "./sync.js";

/** The schemes whose answers about the state this package verifies. */
export type StateScheme = "avl";

/** What {@link verifyAnswer} takes. */
export interface AnswerInput extends HeadInput {
  /** The scheme that proves the answer. */
  scheme: StateScheme;
  /** The `encoded` header of the block that the answer is about, if it is not the head's. */
  header?: Uint8Array | undefined;
  /** The path of `header` in the head's history; there if and only if `header` is. */
  path?: readonly Uint8Array[] | undefined;
  /** The raw keys. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
}

/** An answer about the state that was verified from a checkpoint on. */
export interface VerifiedAnswer {
  /** The header of the block that it is about. */
  header: Header;
  /** A result for each key. */
  results: (Present | Absent)[];
}

/**
 * Verifies an answer about the state together with the headers that it rests on.
 *
 * Throws as `verifyHead`, `verifyAncestor` and `verifyState` do. Source: `test-vectors/SPEC.md`,
 * section "StateAnswer".
 */
export function verifyAnswer(input: AnswerInput): VerifiedAnswer {
  const { scheme, header: older, path, keys, proof, ...sync } = input;
  if ((older === undefined) !== (path === undefined)) {
    const missing = older === undefined ? "header" : "path";
    throw invalid(
      undefined,
      missing,
      "there, as the other of header and path is",
      describe(undefined),
    );
  }
  checkScheme(scheme);
  const head = verifyHead(sync);
  const header =
    older && path ? verifyAncestor({ head: head.encoded, header: older, inclusion: path }) : head;
  const { limits } = readCheckpoint(sync.checkpoint).json.config;
  return { header, results: verifyKeys(scheme, header, limits, keys, proof) };
}

/** Verifies values of keys against the root of `scheme` in an accepted header. */
export function verifyKeys(
  scheme: StateScheme,
  { roots }: Header,
  limits: ChainLimits,
  keys: readonly Uint8Array[],
  proof: Uint8Array,
): (Present | Absent)[] {
  return verifyState({ digest: rootOf(scheme, roots), limits, keys, proof });
}

/** The root of a scheme in an accepted header; `wrong_schemes` if the chain does not keep it. */
export function rootOf(scheme: StateScheme, roots: Header["roots"]): Bytes {
  const root = roots[scheme];
  if (root) return root;
  throw refuse("wrong_schemes", `a chain with the scheme ${scheme}`, "another", { scheme });
}

/** Throws `unknown_statement` unless this package verifies answers of the scheme. */
export function checkScheme(scheme: unknown): asserts scheme is StateScheme {
  if (typeof scheme !== "string") {
    throw invalid(undefined, "scheme", "the name of a scheme", describe(scheme));
  }
  if (scheme !== "avl") throw refuse("unknown_statement", "the scheme avl", describe(scheme));
}
