import { Arguments } from "../arguments.js";
import type { FromJson } from "../from-json.js";
import { writeItems } from "../items.js";
import { type Setup, verifyingKey } from "../lvmt/setup.js";
import type { Absent, Present } from "../result.js";
import { SCHEMES } from "../schemes.js";
import { readStates } from "../states.js";
import { Reader, Writer } from "../wire.js";
import { type ChainConfig, readConfig, writeConfig } from "./checkpoint.js";
import { callState, readScheme, type StateScheme } from "./schemes.js";

/** The accepted trusted setups, for schemes that need one: `lvmt`. */
export type SetupTrust = Pick<Setup, "allowInsecureSetup" | "verifyingKey">;

/** The input of {@link verifyState}. */
export interface StateInput extends SetupTrust {
  /** The scheme that proves the answer. */
  scheme: StateScheme;
  /** The configuration of the chain, from the caller's own checkpoint. */
  config: FromJson<ChainConfig>;
  /**
   * The `encoded` header of the block. The caller has accepted it, as one of this chain: its authority and its
   * chain are not checked here.
   */
  header: Uint8Array;
  /** The requested raw keys. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
}

/** The statements of `bindings/wasm/src/state/message.rs`. */
export const STATEMENT = { keys: 0, history: 1, diff: 2, block: 3 } as const;

/**
 * Verifies the values of raw keys in a chain's state after a block, or that they are absent.
 *
 * Returns a result for each key, in order. Throws a `VerifyError`: `malformed` and `mismatch` like the
 * scheme's own verifier, `untrusted` / `wrong_schemes` if the chain does not keep the scheme, `invalid_input` for a key
 * longer than the chain allows, `unsupported` for a setup that is not accepted.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#7-answers-about-the-state | The specification, chain 7}
 */
export function verifyState(input: StateInput): (Present | Absent)[] {
  const given = new Arguments(undefined, input, [
    "scheme",
    "config",
    "header",
    "keys",
    "proof",
    "allowInsecureSetup",
    "verifyingKey",
  ]);
  const scheme = readScheme(given.unchecked("scheme"));
  const request = new Writer(1024);
  request.u8(STATEMENT.keys);
  request.u8(SCHEMES[scheme].id);
  writeConfig(request, readConfig(given.unchecked("config"), "config"));
  request.bool(given.optionalBoolean("allowInsecureSetup") ?? false);
  const hasKey = given.unchecked("verifyingKey") !== undefined;
  request.bool(hasKey);
  if (hasKey) request.bytes(verifyingKey(given, "verifyingKey"));
  request.bytes(given.proof("header"));
  const proof = given.proof("proof");
  writeItems(request, given.list("keys"), "keys", { scheme });
  return readStates(new Reader(callState(scheme, request.finish(), proof)), scheme);
}
