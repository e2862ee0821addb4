/** The schemes whose answers about a chain's state this package verifies; a new one adds a row. */

import { invalid } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { describe, refuse } from "../error.js";
import type { Setup } from "../lvmt/setup.js";
import { verifyLvmtState } from "../lvmt/state.js";
import type { Absent, Present } from "../result.js";
import { verifySmtState } from "../smt/state.js";
import { init as initHash } from "../wasm/hash.js";
import { init as initLvmt } from "../wasm/lvmt.js";
import type { ChainConfig } from "./checkpoint.js";
import type { Header } from "./header.js";
import { verifyState } from "./state.js";

/** The schemes whose answers about the state this package verifies. */
export type StateScheme = "avl" | "lvmt" | "smt";

/** Which trusted setups are accepted; of schemes that need one, `lvmt`. */
export type SetupTrust = Pick<Setup, "allowInsecureSetup" | "verifyingKey">;

/** Keys asked about the state after a block, and what a server says about them. */
export interface StateQuestion {
  /** The block, which is accepted. */
  header: Header;
  /** The configuration of its chain. */
  config: ChainConfig;
  /** The raw keys. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
  /** Which setups are accepted. */
  setup: SetupTrust;
}

interface StateVerifier {
  /** Loads the binary that has it. */
  init(): Promise<void>;
  /** Gives a result for each key, in order; throws a `VerifyError`. */
  verify(root: Bytes, question: StateQuestion): (Present | Absent)[];
}

const VERIFIERS: Readonly<Record<StateScheme, StateVerifier>> = {
  avl: {
    init: initHash,
    verify: (digest, { config: { limits }, keys, proof }) =>
      verifyState({ digest, limits, keys, proof }),
  },
  lvmt: {
    init: initLvmt,
    verify: verifyLvmtState,
  },
  smt: {
    init: initHash,
    verify: verifySmtState,
  },
};

/** Their names. */
export const STATE_SCHEMES = Object.keys(VERIFIERS) as StateScheme[];

/** Loads the binary of a scheme, if it is not loaded. */
export function initScheme(scheme: StateScheme): Promise<void> {
  return VERIFIERS[scheme].init();
}

/** Verifies values of keys against the root of `scheme` in an accepted header. */
export function verifyKeys(scheme: StateScheme, question: StateQuestion): (Present | Absent)[] {
  return VERIFIERS[scheme].verify(rootOf(scheme, question.header.roots), question);
}

/** The root of a scheme in an accepted header; `wrong_schemes` if the chain does not keep it. */
export function rootOf(scheme: StateScheme, roots: Header["roots"]): Bytes {
  const root = roots[scheme];
  if (root) return root;
  throw refuse("wrong_schemes", `a chain with the scheme ${scheme}`, "another", { scheme });
}

/** Gives the scheme of this name; `unknown_statement` if this package verifies no such answers. */
export function readScheme(scheme: unknown): StateScheme {
  if (typeof scheme !== "string") {
    throw invalid(undefined, "scheme", "the name of a scheme", describe(scheme));
  }
  const known = STATE_SCHEMES.find((name) => name === scheme);
  if (known) return known;
  throw refuse("unknown_statement", `a scheme of ${STATE_SCHEMES.join(", ")}`, describe(scheme));
}
