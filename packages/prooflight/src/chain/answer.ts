import { invalid } from "../arguments.js";
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
  /** The path of `header` in the head's history; there if and only if `header` is. */
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
 * Verifies an answer about the state together with the headers that it rests on.
 *
 * Throws as `verifyHead`, `verifyAncestor` and `verifyState` do. Source: `test-vectors/spec/vectors.md`,
 * section 8.
 */
export function verifyAnswer(input: AnswerInput): VerifiedAnswer {
  const { scheme: name, header: older, path, keys, proof, ...rest } = input;
  const { allowInsecureSetup, verifyingKey, ...sync } = rest;
  if ((older === undefined) !== (path === undefined)) {
    const missing = older === undefined ? "header" : "path";
    throw invalid(
      undefined,
      missing,
      "there, as the other of header and path is",
      describe(undefined),
    );
  }
  const scheme = readScheme(name);
  const head = verifyHead(sync);
  const header =
    older && path ? verifyAncestor({ head: head.encoded, header: older, inclusion: path }) : head;
  const { config } = readCheckpoint(sync.checkpoint).json;
  const setup = { allowInsecureSetup, verifyingKey };
  const { encoded } = header;
  return {
    header,
    results: verifyState({ scheme, config, header: encoded, keys, proof, ...setup }),
  };
}
