import { Arguments } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { type Limits, writeLimits } from "../limits.js";
import type { Absent, Present } from "../state.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";
import { type BytesLike, bytesLike } from "./bytes.js";

/** The input of {@link verifyMptProof}. */
export interface MptProofInput {
  /** The root of the trie, 32 bytes: trusted by the caller, never taken from the server. */
  root: BytesLike;
  /** The key's path in the trie: in a secure trie, the hash of the key. */
  key: BytesLike;
  /** The nodes, from the root on. */
  proof: readonly BytesLike[];
  /** Limits that differ from the defaults. */
  limits?: Limits | undefined;
}

/**
 * Verifies the value of a key in a Merkle Patricia trie, or the key's absence.
 *
 * Throws a `VerifyError`: `malformed` if a node is invalid or a limit is exceeded, `mismatch` if the
 * nodes are not exactly those on the key's path from the root, `invalid_input` for wrong arguments.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#4-verification | The specification, mpt 4}
 *
 * @example
 * ```ts
 * import { init, verifyMptProof } from "prooflight/mpt";
 *
 * await init();
 * // The receipts of a block are in a trie of their own: the key is the RLP of the index, here 0.
 * const receipt = verifyMptProof({ root: receiptsRoot, key: "0x80", proof: nodes });
 * if (receipt.kind === "absent") console.log("the block is empty");
 * ```
 */
export function verifyMptProof(input: MptProofInput): Present | Absent {
  const given = new Arguments("mpt", input, ["root", "key", "proof", "limits"]);
  const request = new Writer(4096);
  request.array(bytesLike(given.unchecked("root"), "root", 32));
  request.bytes(bytesLike(given.unchecked("key"), "key"));
  writeLimits(request, given);
  const proof = given.list("proof");
  request.u32(proof.length);
  proof.forEach((node, index) => {
    request.bytes(bytesLike(node, `proof[${index}]`));
  });
  const packed = request.finish();
  const value = new Reader(hash.call("mpt", (wasm) => wasm.mptVerifyProof(packed))).optionalBytes();
  return value ? { kind: "present", value } : { kind: "absent" };
}

/** The input of {@link verifyEthHeader}. */
export interface EthHeaderInput {
  /** The hash of the block, 32 bytes: trusted by the caller, never taken from the server. */
  hash: BytesLike;
  /** The header in RLP. */
  headerRlp: BytesLike;
}

/** The fields of a block's header. */
export interface EthHeader {
  /** The number of the block. */
  number: bigint;
  /** The root of the state after the block, 32 bytes. */
  stateRoot: Bytes;
}

/**
 * Verifies the header of an Ethereum block against the block's hash.
 *
 * Throws `malformed` if the bytes are not a header, `mismatch` / `header_hash_mismatch` if they are the header of
 * another block.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#7-headers | The specification, mpt 7}
 *
 * @example
 * ```ts
 * import { init, verifyEthHeader } from "prooflight/mpt";
 *
 * await init();
 * // The hash is yours; the header may come from anyone, such as debug_getRawHeader.
 * const { number, stateRoot } = verifyEthHeader({ hash: blockHash, headerRlp });
 * console.log("block", number, "has the state root", stateRoot);
 * ```
 */
export function verifyEthHeader(input: EthHeaderInput): EthHeader {
  const given = new Arguments("mpt", input, ["hash", "headerRlp"]);
  const blockHash = bytesLike(given.unchecked("hash"), "hash", 32);
  const rlp = bytesLike(given.unchecked("headerRlp"), "headerRlp");
  const reader = new Reader(hash.call("mpt", (wasm) => wasm.mptVerifyHeader(blockHash, rlp)));
  return { number: reader.u64(), stateRoot: reader.array(32) };
}
