import { Arguments, invalid, own } from "../arguments.js";
import { type Bytes, BYTES, viewOf } from "../bytes.js";
import { describe } from "../error.js";
import type { StateOperation } from "../state.js";
import { hash } from "../wasm/hash.js";
import { Writer } from "../wire.js";
import { type ChainLimits, readLimits, writeLimits } from "./checkpoint.js";
import { STATEMENT } from "./state.js";

/** The input of {@link verifyBlock}. */
export interface BlockInput {
  /** The `encoded` header of the previous block, if the caller has accepted it; the block must follow it. */
  parent?: Uint8Array | undefined;
  /**
   * The digest of the state before the block, 33 bytes. Default: the `avl` root of `parent`, or, for block 0,
   * the digest of an empty state.
   */
  digest?: Uint8Array | undefined;
  /** The `encoded` header of the block, which the caller has accepted. */
  header: Uint8Array;
  /** The limits in the chain's configuration. */
  limits: ChainLimits;
  /** The block's operations, ascending by key. */
  operations: readonly StateOperation[];
  /** The block's transition proof. */
  proof: Uint8Array;
}

/**
 * Verifies that a block has these operations, and that they lead from the previous state to the state in its header.
 *
 * Returns the digest after the block, 33 bytes. Throws a `VerifyError`: `mismatch` / `operations_mismatch` if the
 * header commits to other operations, `mismatch` / `state_root_mismatch` if the operations lead to another state,
 * `malformed` / `invalid_block` if no block can have such operations, `untrusted` / `not_extending` if the block does
 * not follow `parent`, `malformed` / `invalid_header` if its timestamp is not above that of `parent`. Other errors are
 * those of `verifyBatch` of `prooflight/avl`.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#8-blocks | The specification, chain 8}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/follow-a-chain.md | Follow a chain}
 *
 * @example
 * ```ts
 * import { init, verifyBlock } from "prooflight/chain";
 *
 * await init();
 * const { limits } = checkpoint.config;
 * const headers = { parent: previous.encoded, header: header.encoded }; // both are accepted
 * const operations = [{ op: "Set", key, value }] as const;
 * const digest = verifyBlock({ ...headers, limits, operations, proof });
 * console.log("the digest of the new state:", digest);
 * ```
 */
export function verifyBlock(input: BlockInput): Bytes {
  const given = new Arguments("avl", input, [
    "parent",
    "digest",
    "header",
    "limits",
    "operations",
    "proof",
  ]);
  const request = new Writer(1024);
  request.u8(STATEMENT.block);
  writeLimits(request, readLimits(given.unchecked("limits"), "limits"));
  for (const name of ["parent", "digest"] as const) {
    const bytes = given.optionalBytes(name);
    request.bool(bytes !== undefined);
    if (bytes) request.bytes(bytes);
  }
  request.bytes(given.proof("header"));
  const operations = given.list("operations");
  request.u32(operations.length);
  operations.forEach((operation, index) => {
    writeOperation(request, operation, index);
  });
  const proof = given.proof("proof");
  const packed = request.finish();
  return hash.call("avl", (wasm) => wasm.verifyState(packed, proof));
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
