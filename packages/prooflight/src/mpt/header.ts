import { Arguments } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { hash } from "../wasm/hash.js";
import { Reader } from "../wire.js";
import { type BytesLike, bytesLike } from "./bytes.js";

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
  /** The root of the state after it, 32 bytes. */
  stateRoot: Bytes;
}

/**
 * Verifies the header of an Ethereum block against the block's hash.
 *
 * Throws `malformed` if it is not a header, `mismatch` / `header_hash_mismatch` if it is another block's.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#7-headers | The specification, mpt 7}
 */
export function verifyEthHeader(input: EthHeaderInput): EthHeader {
  const given = new Arguments("mpt", input, ["hash", "headerRlp"]);
  const blockHash = bytesLike(given.unchecked("hash"), "hash", 32);
  const rlp = bytesLike(given.unchecked("headerRlp"), "headerRlp");
  const reader = new Reader(hash.call("mpt", (wasm) => wasm.mptVerifyHeader(blockHash, rlp)));
  return { number: reader.u64(), stateRoot: reader.array(32) };
}
