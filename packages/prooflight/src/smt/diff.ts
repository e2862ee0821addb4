import { Arguments } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { type Limits, writeLimits } from "../limits.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";
import type { Change } from "./history.js";

/** The input of {@link verifySmtDiff}. */
export interface DiffInput {
  /** The block after which changes count; null for all changes, including those of genesis. */
  from: bigint | null;
  /** The last block whose changes count. */
  to: bigint;
  /** The root of the scheme `smt` after block `to`, 32 bytes: trusted by the caller. */
  root: Uint8Array;
  /** The proof. */
  proof: Uint8Array;
  /** Limits that differ from the defaults. */
  limits?: Limits | undefined;
}

/** The last change of a key in a range of blocks. */
export interface KeyChange extends Change {
  /** The raw key. */
  key: Bytes;
}

/**
 * Verifies the complete set of keys that changed after block `from` and up to block `to`.
 *
 * Returns the last change of each key, in the order of the keys' hashes. Throws like `verifySmtProof`;
 * `invalid_input` if `from` is not before `to`.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/smt.md#6-diffs | The specification, smt 6}
 *
 * @example
 * ```ts
 * import { toHex } from "prooflight";
 * import { init, verifySmtDiff } from "prooflight/smt";
 *
 * await init();
 * const changes = verifySmtDiff({ from: 80n, to: 90n, root, proof }); // the root after block 90
 * for (const { key, value } of changes) console.log(toHex(key), value ?? "deleted");
 * ```
 */
export function verifySmtDiff(input: DiffInput): KeyChange[] {
  const given = new Arguments("smt", input, ["from", "to", "root", "proof", "limits"]);
  const request = new Writer();
  request.array(given.array("root", 32));
  const since = given.unchecked("from") !== null;
  request.bool(since);
  if (since) request.u64(given.u64("from"));
  request.u64(given.u64("to"));
  const { maxProofBytes } = writeLimits(request, given);
  const proof = given.proof("proof", maxProofBytes);
  const packed = request.finish();
  return readChanges(new Reader(hash.call("smt", (wasm) => wasm.smtVerifyDiff(packed, proof))));
}

/** Reads `Vec<Change>`. */
export function readChanges(response: Reader): KeyChange[] {
  return response.sequence(() => {
    const key = response.bytes();
    return { key, height: response.u64(), value: response.optionalBytes() };
  });
}
