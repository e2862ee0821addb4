/** Verified blocks, transactions, receipts and logs as JSON-RPC has them. */

import type { Bytes, Hex } from "../../bytes.js";
import type { Block } from "../../ethereum/blocks.js";
import type { BlockBody } from "../../ethereum/bodies.js";
import {
  blobsOf,
  headerMembers,
  type Json,
  transactionMembers,
  withdrawalMembers,
} from "../../ethereum/decode.js";
import type { FoundLog } from "../../ethereum/logs/verify.js";
import { lengthOf, lengthOfList } from "../../ethereum/rlp.js";
import {
  type Log,
  type SignedTransaction,
  type Transaction,
  type TransactionReceipt,
  verifyTransactions,
} from "../../ethereum/transactions.js";
import { quantity } from "../request.js";

/** The gas of one blob. */
export const BLOB_GAS = 131_072n;

const index = (number: number) => quantity(BigInt(number));

/** A block, with its transactions if `full`, else with their hashes. */
export function blockJson(body: BlockBody, full: boolean): Json {
  const { block, transactions, hashes, ommers, withdrawals } = body;
  return {
    hash: block.header.hash,
    ...headerMembers(block.rlp),
    size: index(sizeOf(body)),
    uncles: ommers.map(({ hash }) => hash),
    transactions: full
      ? verifyTransactions(block, transactions).map((transaction, at) =>
          transactionJson(block, transaction, transactions[at] ?? new Uint8Array()),
        )
      : [...hashes],
    ...(withdrawals && { withdrawals: withdrawals.map(withdrawalMembers) }),
  };
}

/** A header, as subscriptions give it. */
export const headerJson = ({ header, rlp }: Block): Json => ({
  hash: header.hash,
  ...headerMembers(rlp),
});

/** The header of an ommer, as a block without a body. */
export const ommerJson = ({ hash, rlp }: { hash: Hex; rlp: Bytes }): Json => ({
  hash,
  ...headerMembers(rlp),
  size: index(lengthOfList(rlp.length + 2 * lengthOfList(0))),
  uncles: [],
});

/** The length of a block in RLP. */
function sizeOf({ block, transactions, ommers, withdrawals }: BlockBody): number {
  // A transaction without a type is a list, one with a type a string.
  const sizes = transactions.map((raw) => ((raw[0] ?? 0) < 0x80 ? lengthOf(raw) : raw.length));
  const sum = (lengths: readonly number[]) => lengths.reduce((one, other) => one + other, 0);
  const lists = [
    block.rlp.length,
    lengthOfList(sum(sizes)),
    lengthOfList(sum(ommers.map(({ rlp }) => rlp.length))),
    ...(withdrawals ? [lengthOfList(sum(withdrawals.map(({ length }) => length)))] : []),
  ];
  return lengthOfList(sum(lists));
}

/** A transaction of a block. */
export const transactionJson = (block: Block, transaction: Transaction, raw: Bytes): Json => ({
  blockHash: block.header.hash,
  blockNumber: quantity(block.header.number),
  blockTimestamp: quantity(block.header.timestamp),
  transactionIndex: index(transaction.transactionIndex),
  ...signedJson(transaction, raw),
});

/** A transaction that is in no block. */
export const pendingJson = (transaction: SignedTransaction, raw: Bytes): Json => ({
  blockHash: null,
  blockNumber: null,
  transactionIndex: null,
  ...signedJson(transaction, raw),
});

function signedJson({ hash, from, chainId, effectiveGasPrice }: SignedTransaction, raw: Bytes) {
  return {
    hash,
    from,
    ...(chainId !== undefined && { chainId: quantity(chainId) }),
    gasPrice: quantity(effectiveGasPrice),
    ...transactionMembers(raw),
  };
}

/** A receipt; `blobFee` is that of its block, if it is known. */
export function receiptJson(
  { header }: Block,
  receipt: TransactionReceipt,
  raw: Bytes,
  blobFee: bigint | undefined,
): Json {
  const { from, logs, logsBloom, root, status, transactionHash } = receipt;
  const blobs = receipt.type === 3;
  return {
    blockHash: header.hash,
    blockNumber: quantity(header.number),
    transactionHash,
    transactionIndex: index(receipt.transactionIndex),
    type: index(receipt.type),
    from,
    to: receipt.to ?? null,
    contractAddress: receipt.contractAddress ?? null,
    ...(root === undefined ? { status: status === "success" ? "0x1" : "0x0" } : { root }),
    gasUsed: quantity(receipt.gasUsed),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    ...(blobs && { blobGasUsed: quantity(BLOB_GAS * BigInt(blobsOf(raw))) }),
    ...(blobs && blobFee !== undefined && { blobGasPrice: quantity(blobFee) }),
    logsBloom,
    logs: logs.map((log) => logJson(log, header.timestamp)),
  };
}

/** A log. */
export const foundLogJson = (log: FoundLog): Json => logJson(log, log.blockTimestamp);

function logJson(log: Log, timestamp: bigint): Json {
  const { address, topics, data, blockHash, transactionHash } = log;
  return {
    address,
    topics: [...topics],
    data,
    blockHash,
    blockNumber: quantity(log.blockNumber),
    blockTimestamp: quantity(timestamp),
    transactionHash,
    transactionIndex: index(log.transactionIndex),
    logIndex: index(log.logIndex),
    removed: false,
  };
}
