/** The fees of gas and of blobs that follow from headers. */

import { ethereum } from "../wasm/ethereum.js";
import { Reader, Writer } from "../wire.js";
import type { Block } from "./blocks.js";
import type { BlobParams } from "./chains.js";

/** Fees that follow from a header, in wei. */
export interface Fees {
  /** Of gas in the next block; undefined before London. */
  nextBaseFee: bigint | undefined;
  /** Of blob gas in the block; undefined before Cancun, or without parameters. */
  blobFee: bigint | undefined;
  /** Of blob gas in the next block, unless a fork changes the parameters. */
  nextBlobFee: bigint | undefined;
}

/**
 * The fees of a block and of the next one. The fees of blobs need the block's parent and parameters.
 *
 * Throws `unsupported_fork` if the parameters are not those of the block.
 */
export function feesOf(block: Block, blobs?: { parent: Block; params: BlobParams }): Fees {
  const request = new Writer(2048);
  request.array(block.hash);
  request.bytes(block.rlp);
  request.bool(blobs !== undefined);
  if (blobs) {
    const { target, max, updateFraction, hasReserve } = blobs.params;
    request.bytes(blobs.parent.rlp);
    for (const value of [target, max, updateFraction]) request.u64(value);
    request.bool(hasReserve);
  }
  const packed = request.finish();
  const reader = new Reader(ethereum.call(undefined, (wasm) => wasm.ethFees(packed)));
  const fee = () => (reader.u8() === 0 ? undefined : reader.uint(32));
  return { nextBaseFee: fee(), blobFee: fee(), nextBlobFee: fee() };
}
