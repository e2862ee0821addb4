import { Arguments } from "../arguments.js";
import { refuse } from "../error.js";
import type { Present } from "../state.js";
import { hash } from "../wasm/hash.js";
import { Writer } from "../wire.js";
import { type Operation, writeOperations } from "./operation.js";
import { type Limits, type Mode, type Pinned, writeParams } from "./params.js";
import { type AbsentBetween, readBatch, type VerifiedBatch } from "./result.js";

/** Arguments of {@link verifyBatch}. */
export interface BatchInput extends Pinned {
  /** The digest before the batch, 33 bytes: trusted by the caller, never taken from the server. */
  digest: Uint8Array;
  /** The operations, in order. */
  operations: readonly Operation[];
  /** The proof, scorex's byte stream. */
  proof: Uint8Array;
  /** How strictly the proof is checked. Default `strict`. */
  mode?: Mode | undefined;
  /** Whether absent keys come with the keys around them. Default false. */
  neighbours?: boolean | undefined;
}

/** Arguments of {@link verifyLookup}. */
export interface LookupInput extends Pinned {
  /** The digest, 33 bytes: trusted by the caller, never taken from the server. */
  digest: Uint8Array;
  /** The key to look up. */
  key: Uint8Array;
  /** The proof of a batch of this one lookup. */
  proof: Uint8Array;
  /** How strictly the proof is checked. Default `strict`. */
  mode?: Mode | undefined;
}

/** Arguments of {@link verifyErgoAdProofs}. The roots are from headers that the caller trusts. */
export interface ErgoAdProofsInput {
  /** The state root of the parent block's header, 33 bytes. */
  parentStateRoot: Uint8Array;
  /** The state root of the block's header, 33 bytes. */
  stateRoot: Uint8Array;
  /** The `adProofsRoot` of the block's header, 32 bytes. */
  adProofsRoot: Uint8Array;
  /** Lookups of data inputs, removals of inputs and insertions of outputs, in Ergo's order. */
  operations: readonly Operation[];
  /** The block's AD proof. */
  proof: Uint8Array;
  /** Whether absent keys come with the keys around them. Default false. */
  neighbours?: boolean | undefined;
}

/**
 * Verifies a batch of operations against the digest of the dictionary before it.
 *
 * Returns the digest after the batch, and the previous value of each operation's key. Throws a
 * `VerifyError`: `malformed` if the proof is not well-formed or exceeds a limit, `mismatch` if it does
 * not prove that these operations apply to this dictionary, `invalid_input` for wrong arguments.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/avl.md#6-verification | The specification, avl 6}
 *
 * @example
 * ```ts
 * import { init, verifyBatch } from "prooflight/avl";
 *
 * await init();
 * const operations = [{ op: "UpdateLongBy", key, delta: -5n }] as const;
 * const batch = verifyBatch({ digest, operations, proof, keyLength: 32, valueLength: 8 });
 * console.log("before:", batch.results[0], "digest after:", batch.digest);
 * ```
 */
export function verifyBatch(input: BatchInput & { neighbours: true }): VerifiedBatch<AbsentBetween>;
export function verifyBatch(input: BatchInput): VerifiedBatch;
export function verifyBatch(input: BatchInput): VerifiedBatch {
  const given = new Arguments("avl", input, [
    "digest",
    "operations",
    "proof",
    "keyLength",
    "valueLength",
    "mode",
    "limits",
    "neighbours",
  ]);
  const neighbours = given.optionalBoolean("neighbours") ?? false;
  const request = new Writer();
  request.bytes(given.bytes("digest"));
  const maxProofBytes = writeParams(request, given);
  request.bool(neighbours);
  writeOperations(request, given.list("operations"));
  const proof = given.proof("proof", maxProofBytes);
  const packed = request.finish();
  const response = hash.call("avl", (wasm) => wasm.avlVerifyBatch(packed, proof));
  return readBatch(response, neighbours);
}

/**
 * Verifies the value of one key, or its absence and the neighbouring keys.
 *
 * Throws like {@link verifyBatch}.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/avl.md#6-verification | The specification, avl 6}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/verify-an-answer.md | Verify one answer}
 *
 * @example
 * ```ts
 * import { init, verifyLookup } from "prooflight/avl";
 *
 * await init();
 * const key = new TextEncoder().encode("bob");
 * const answer = verifyLookup({ digest, key, proof, keyLength: 3 }); // the digest is yours
 * if (answer.kind === "present") console.log(answer.value);
 * else console.log("no bob between", answer.previous, "and", answer.next);
 * ```
 */
export function verifyLookup(input: LookupInput): Present | AbsentBetween {
  const given = new Arguments("avl", input, [
    "digest",
    "key",
    "proof",
    "keyLength",
    "valueLength",
    "mode",
    "limits",
  ]);
  const { results } = verifyBatch({
    digest: given.bytes("digest"),
    operations: [{ op: "Lookup", key: given.bytes("key") }],
    proof: given.bytes("proof"),
    // verifyBatch checks these values.
    keyLength: given.unchecked("keyLength") as number,
    valueLength: given.unchecked("valueLength") as number | undefined,
    mode: given.unchecked("mode") as Mode | undefined,
    limits: given.unchecked("limits") as Limits | undefined,
    neighbours: true,
  });
  const [result] = results;
  if (!result) throw refuse("bug", "one result", "none", { scheme: "avl" });
  return result;
}

/**
 * Verifies that the operations of an Ergo block lead from its parent's state root to its own.
 *
 * Returns the same as {@link verifyBatch}; the digest is the given `stateRoot`. Throws like {@link verifyBatch}, and
 * `mismatch` if the proof's hash is not `adProofsRoot` or the operations lead to another root. The caller must take the
 * operations from the block's transactions.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/avl.md#14-ergos-block-proofs | The specification, avl 14}
 *
 * @example
 * ```ts
 * import { init, type Operation, verifyErgoAdProofs } from "prooflight/avl";
 *
 * await init();
 * const spent: Operation = { op: "Remove", key: boxId };
 * const created: Operation = { op: "Insert", key: newBoxId, value: newBox };
 * const roots = { parentStateRoot, stateRoot, adProofsRoot }; // from headers that you have checked
 * const { results } = verifyErgoAdProofs({ ...roots, operations: [spent, created], proof });
 * console.log("the spent box:", results[0]);
 * ```
 */
export function verifyErgoAdProofs(
  input: ErgoAdProofsInput & { neighbours: true },
): VerifiedBatch<AbsentBetween>;
export function verifyErgoAdProofs(input: ErgoAdProofsInput): VerifiedBatch;
export function verifyErgoAdProofs(input: ErgoAdProofsInput): VerifiedBatch {
  const given = new Arguments("avl", input, [
    "parentStateRoot",
    "stateRoot",
    "adProofsRoot",
    "operations",
    "proof",
    "neighbours",
  ]);
  const neighbours = given.optionalBoolean("neighbours") ?? false;
  const request = new Writer();
  request.bytes(given.bytes("parentStateRoot"));
  request.bytes(given.bytes("stateRoot"));
  request.bytes(given.bytes("adProofsRoot"));
  request.bool(neighbours);
  writeOperations(request, given.list("operations"));
  const proof = given.proof("proof");
  const packed = request.finish();
  const response = hash.call("avl", (wasm) => wasm.avlVerifyErgoAdProofs(packed, proof));
  return readBatch(response, neighbours);
}
