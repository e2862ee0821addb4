/** The binary that verifies the answers of each scheme. */

import { invalid } from "../arguments.js";
import { describe, refuse, VerifyError } from "../error.js";
import { type Ability, SCHEMES, STATE_SCHEMES, type StateScheme } from "../schemes.js";
import { hash, init as initHash } from "../wasm/hash.js";
import { init as initLvmt, lvmt } from "../wasm/lvmt.js";
import type { ChainConfig } from "./checkpoint.js";

export { STATE_SCHEMES, type StateScheme } from "../schemes.js";

/** Loads the binary of a scheme, if it is not loaded. */
export function initScheme(scheme: StateScheme): Promise<void> {
  return inLvmt(scheme) ? initLvmt() : initHash();
}

/** The schemes of a chain that prove values of keys; those without pairings, whose binary is loaded anyway, first. */
export function keptSchemes({ schemes }: Pick<ChainConfig, "schemes">): StateScheme[] {
  const ids = new Set(schemes.map(({ id }) => id));
  const kept = STATE_SCHEMES.filter((name) => ids.has(SCHEMES[name].id));
  return [...kept.filter((name) => !inLvmt(name)), ...kept.filter(inLvmt)];
}

/**
 * The scheme that a question names, or the first that proves such answers.
 *
 * Throws `invalid_argument` if the chain does not keep the named scheme, `unknown_statement` if this scheme, or every
 * scheme of the chain, does not prove such answers.
 */
export function keptScheme(
  config: Pick<ChainConfig, "schemes">,
  named: unknown,
  ability: Ability = "keys",
): StateScheme {
  const kept = keptSchemes(config);
  const able = kept.filter((name) => SCHEMES[name].abilities.includes(ability));
  const scheme = named === undefined ? able[0] : readScheme(named);
  if (scheme && able.includes(scheme)) return scheme;
  if (ability !== "keys" && (scheme === undefined || kept.includes(scheme))) {
    throw unproved(ability, scheme, kept);
  }
  const expected = `a scheme that the chain keeps, of ${kept.join(", ") || "none"}`;
  throw invalid(undefined, "scheme", expected, describe(named));
}

/** The refusal of a question that a scheme, or every scheme of a chain, cannot answer. */
function unproved(
  ability: Ability,
  scheme: StateScheme | undefined,
  kept: readonly StateScheme[],
): VerifyError {
  const provers = STATE_SCHEMES.filter((name) => SCHEMES[name].abilities.includes(ability));
  const what = ANSWERS[ability];
  const problem = scheme ? `${scheme} proves no ${what}` : `the chain keeps no scheme for ${what}`;
  const expected = scheme
    ? `a scheme of ${provers.join(", ")}`
    : `a chain that keeps ${provers.join(" or ")}`;
  const found = scheme ?? `one that keeps ${kept.join(", ") || "none for values of keys"}`;
  const message = `${problem}: expected ${expected}, found ${found}`;
  const reason = "unknown_statement";
  return new VerifyError({ code: "unsupported", reason, message, expected, found });
}

/** What each ability is to answer. */
const ANSWERS: Readonly<Record<Ability, string>> = {
  keys: "values of keys",
  block: "transitions of blocks",
  history: "histories",
  diff: "diffs",
  average: "averages",
  account: "accounts",
  range: "ranges of keys",
  count: "counts of keys",
  past: "older states",
};

/** Passes a request of `bindings/wasm/src/state/message.rs` to a scheme's binary; returns the response. */
export function callState(
  scheme: StateScheme,
  request: Uint8Array,
  proof: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return inLvmt(scheme)
    ? lvmt.call(scheme, (wasm) => wasm.verifyState(request, proof))
    : hash.call(scheme, (wasm) => wasm.verifyState(request, proof));
}

/** Whether the root of a header proves the states after all blocks up to its own, not after its own alone. */
export const provesThePast = (scheme: StateScheme) => SCHEMES[scheme].abilities.includes("past");

const inLvmt = (scheme: StateScheme) => SCHEMES[scheme].binary === "lvmt";

/** Returns the scheme of this name; `unknown_statement` if this package does not verify its answers. */
export function readScheme(scheme: unknown): StateScheme {
  if (typeof scheme !== "string") {
    throw invalid(undefined, "scheme", "the name of a scheme", describe(scheme));
  }
  const known = STATE_SCHEMES.find((name) => name === scheme);
  if (known) return known;
  throw refuse("unknown_statement", `a scheme of ${STATE_SCHEMES.join(", ")}`, describe(scheme));
}
