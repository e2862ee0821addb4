/** The logs in blocks that are verified. */

import { type Bytes, fromHex, type Hex, toHex } from "../../bytes.js";
import { refuse } from "../../error.js";
import { ethereum } from "../../wasm/ethereum.js";
import { Reader, Writer } from "../../wire.js";
import type { Block } from "../blocks.js";
import { type Log, readLog } from "../transactions.js";

/** A log that a filter found, with its block's time in seconds since 1970. */
export interface FoundLog extends Log {
  blockTimestamp: bigint;
}

/** The hashes of transactions, by the number of their block. */
export type TransactionHashes = Map<bigint, readonly Hex[]>;

/** Adds the hashes of transactions, which receipts do not contain. */
export const withTransactionHashes = (
  found: readonly LogWithoutHash[],
  hashes: TransactionHashes,
): FoundLog[] =>
  found.map(({ blockNumber, transactionIndex, ...log }) => {
    const transactionHash = hashes.get(blockNumber)?.[transactionIndex];
    if (!transactionHash) throw refuse("bug", "a log of a transaction", `${transactionIndex}`);
    return { ...log, blockNumber, transactionHash, transactionIndex };
  });

/** A log without the hash of its transaction. */
type LogWithoutHash = Omit<FoundLog, "transactionHash">;

/** The blocks whose blooms do not exclude a match. */
export function blocksThatMayMatch(filter: Bytes, range: readonly Block[]): Block[] {
  const request = new Writer(512 * range.length);
  request.array(filter);
  request.sequence(range, ({ header }) => {
    request.array(fromHex(header.logsBloom));
  });
  const packed = request.finish();
  const mayMatch = ethereum.call(undefined, (wasm) => wasm.ethMayMatch(packed));
  return range.filter((_, index) => mayMatch[index] === 1);
}

/** The logs of consecutive blocks. Blocks whose bloom does not exclude a match need all of their receipts. */
export function verifyLogs(
  filter: Bytes,
  range: readonly [Block, ...Block[]],
  receipts: ReadonlyMap<Block, Bytes[]>,
): LogWithoutHash[] {
  const [first] = range;
  const last = range.at(-1) ?? first;
  const request = new Writer(1 << 20);
  request.array(last.hash);
  request.u64(first.header.number);
  request.u64(last.header.number);
  request.array(filter);
  request.sequence(range, (block) => {
    request.bytes(block.rlp);
    const list = receipts.get(block);
    request.bool(list !== undefined);
    if (list) {
      request.sequence(list, (item) => {
        request.bytes(item);
      });
    }
  });
  const packed = request.finish();
  const reader = new Reader(ethereum.call(undefined, (wasm) => wasm.ethVerifyLogs(packed)));
  return reader.sequence(() => ({
    blockHash: toHex(reader.array(32)) as Hex,
    blockNumber: reader.u64(),
    blockTimestamp: reader.u64(),
    transactionIndex: Number(reader.u64()),
    logIndex: Number(reader.u64()),
    ...readLog(reader),
  }));
}
