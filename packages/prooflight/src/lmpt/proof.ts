import { Arguments } from "../arguments.js";
import { type Limits, writeItems, writeLimits } from "../limits.js";
import { type Absent, type Layer, type Present, readStates } from "../state.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";

/** The input of {@link verifyLmptProof}; the caller trusts everything but the proof. */
export interface LmptProofInput {
  /** The root of the scheme `lmpt` in the block's header: the roots of snapshot, intermediate and delta, 96 bytes. */
  root: Uint8Array;
  /** The requested raw keys, at least one; they may repeat. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
  /** Limits that differ from the defaults. */
  limits?: Limits | undefined;
}

/** The key has this value. */
export interface LmptPresent extends Present {
  /** The layer that has the value. */
  layer: Layer;
}

/** The key has no value. */
export interface LmptAbsent extends Absent {
  /** The layer that has the deletion, or `snapshot` if none has the key. */
  layer: Layer;
}

/**
 * Verifies the values of raw keys after a block, or their absence, against the block's three roots.
 *
 * Returns a result for each key, in order. Throws a `VerifyError`: `malformed` if the proof is not well-formed or
 * exceeds a limit, `mismatch` if it does not verify against the root.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/lmpt.md#5-verification | The specification, lmpt 5}
 *
 * @example
 * ```ts
 * import { init, verifyLmptProof } from "prooflight/lmpt";
 *
 * await init();
 * const [answer] = verifyLmptProof({ root, keys: [key], proof });
 * if (answer?.kind === "present") console.log(answer.value, "in the layer", answer.layer);
 * ```
 */
export function verifyLmptProof(input: LmptProofInput): (LmptPresent | LmptAbsent)[] {
  const given = new Arguments("lmpt", input, ["root", "keys", "proof", "limits"]);
  const request = new Writer();
  request.array(given.array("root", 96));
  const { maxProofBytes, maxKeys } = writeLimits(request, given);
  const keys = given.list("keys");
  writeItems(request, keys, "keys", { scheme: "lmpt" });
  // The verifier checks the number of keys first, and does not read the proof if it refuses that number.
  const isAsked = keys.length > 0 && keys.length <= maxKeys;
  const proof = isAsked ? given.proof("proof", maxProofBytes) : new Uint8Array();
  const packed = request.finish();
  const response = hash.call("lmpt", (wasm) => wasm.lmptVerify(packed, proof));
  // Every result of this scheme has its layer.
  return readStates(new Reader(response), "lmpt") as (LmptPresent | LmptAbsent)[];
}
