import { Arguments, invalid, own } from "../arguments.js";
import { readOldValues } from "../avl/result.js";
import { BYTES, type Bytes, viewOf } from "../bytes.js";
import { describe } from "../error.js";
import type { Absent, Present } from "../result.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";
import { type ChainLimits, readLimits, writeLimits } from "./checkpoint.js";

/** One change of the raw state. */
export type StateOperation<B extends Uint8Array = Uint8Array> =
  { op: "Set"; key: B; value: B } | { op: "Delete"; key: B };

/** What {@link verifyState} takes. */
export interface StateInput {
  /** The root of the scheme `avl` in a header that the caller accepts, 33 bytes. */
  digest: Uint8Array;
  /** The limits in the chain's configuration. */
  limits: ChainLimits;
  /** The raw keys that were asked for. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
}

/** What {@link verifyBlock} takes. */
export interface BlockInput {
  /** The `avl` root of the header before, 33 bytes. */
  digest: Uint8Array;
  /** The `encoded` header of the block, which the caller accepts. */
  header: Uint8Array;
  /** The limits in the chain's configuration. */
  limits: ChainLimits;
  /** The block's operations, ascending by key. */
  operations: readonly StateOperation[];
  /** The block's transition proof. */
  proof: Uint8Array;
}

/**
 * Verifies the values of raw keys in a chain's AVL+ state, or that they are absent.
 *
 * Gives a result for each key, in order. Throws a `VerifyError`: `malformed` and `mismatch` as
 * `verifyBatch` of `prooflight/avl`, `invalid_input` for a key longer than the chain allows. Source:
 * `test-vectors/spec/chain.md`, section 7.
 */
export function verifyState(input: StateInput): (Present | Absent)[] {
  const given = new Arguments("avl", input, ["digest", "limits", "keys", "proof"]);
  const request = new Writer();
  request.bytes(given.bytes("digest"));
  writeLimits(request, readLimits(given.unchecked("limits"), "limits"));
  const keys = given.list("keys");
  request.u32(keys.length);
  keys.forEach((key, index) => {
    request.bytes(bytesOf(key, `keys[${index}]`));
  });
  const proof = given.proof("proof");
  const packed = request.finish();
  const response = hash.call("avl", (wasm) => wasm.chainVerifyAvlState(packed, proof));
  return readOldValues(new Reader(response), false);
}

/**
 * Verifies that operations are those of a block, and lead from the state before it to the one that
 * its header has; gives the digest after it.
 *
 * Throws a `VerifyError`: `operations_mismatch` if the header commits to others,
 * `state_root_mismatch` if they lead elsewhere, `invalid_block` if no block has such operations, and
 * as `verifyBatch` of `prooflight/avl`. Source: `test-vectors/spec/chain.md`, section 8.
 */
export function verifyBlock(input: BlockInput): Bytes {
  const given = new Arguments("avl", input, ["digest", "header", "limits", "operations", "proof"]);
  const request = new Writer(1024);
  request.bytes(given.bytes("digest"));
  request.bytes(given.proof("header"));
  writeLimits(request, readLimits(given.unchecked("limits"), "limits"));
  const operations = given.list("operations");
  request.u32(operations.length);
  operations.forEach((operation, index) => {
    writeOperation(request, operation, index);
  });
  const proof = given.proof("proof");
  const packed = request.finish();
  return hash.call("avl", (wasm) => wasm.chainVerifyAvlBlock(packed, proof));
}

function writeOperation(writer: Writer, operation: unknown, index: number): void {
  const path = `operations[${index}]`;
  if (typeof operation !== "object" || operation === null) {
    throw invalid("avl", path, "an object", describe(operation));
  }
  const [op, key, value] = ["op", "key", "value"].map((name) => own(operation, name));
  if (op !== "Set" && op !== "Delete")
    throw invalid("avl", `${path}.op`, "Set or Delete", describe(op));
  writer.u8(op === "Set" ? 0 : 1);
  writer.bytes(bytesOf(key, `${path}.key`));
  if (op === "Set") writer.bytes(bytesOf(value, `${path}.value`));
  else if (value !== undefined) throw invalid("avl", `${path}.value`, "left out", describe(value));
}

function bytesOf(value: unknown, path: string): Uint8Array {
  const bytes = viewOf(value);
  if (!bytes) throw invalid("avl", path, BYTES, describe(value));
  return bytes;
}
