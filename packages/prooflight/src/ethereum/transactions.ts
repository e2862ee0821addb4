/** Transactions and receipts, verified by all transactions and receipts of their block. */

import { type Bytes, fromHex, type Hex, toHex } from "../bytes.js";
import { ethereum } from "../wasm/ethereum.js";
import { Reader, Writer } from "../wire.js";
import type { Block } from "./blocks.js";

/** Where a transaction is in the chain. */
export interface TransactionPosition {
  blockHash: Hex;
  blockNumber: bigint;
  /** Its index in the block. */
  transactionIndex: number;
}

/** A transaction that may be in no block; its fields are named as in JSON-RPC. Amounts are in wei. */
export interface SignedTransaction {
  hash: Hex;
  /** 0 to 4; 0 for legacy transactions. */
  type: number;
  /** Undefined before EIP-155. */
  chainId: bigint | undefined;
  /** The signer. */
  from: Hex;
  nonce: bigint;
  /** Undefined if it creates a contract. */
  to: Hex | undefined;
  gas: bigint;
  value: bigint;
  input: Hex;
  /** The most that it pays for a unit of gas. */
  maxFeePerGas: bigint;
  /** The most of that for the block's beneficiary; undefined if it has no limit of its own. */
  maxPriorityFeePerGas: bigint | undefined;
  /** The price that it paid for a unit of gas. */
  effectiveGasPrice: bigint;
}

/** A transaction of a block. */
export interface Transaction extends SignedTransaction, TransactionPosition {}

/** A log of a contract. */
export interface Log extends TransactionPosition {
  transactionHash: Hex;
  address: Hex;
  /** At most four. */
  topics: Hex[];
  data: Hex;
  /** Its index in the block. */
  logIndex: number;
}

/** A receipt; its fields are named as in JSON-RPC. Amounts are in wei. */
export interface TransactionReceipt extends TransactionPosition {
  transactionHash: Hex;
  type: number;
  from: Hex;
  to: Hex | undefined;
  /** The contract that it created, or tried to create. */
  contractAddress: Hex | undefined;
  /** Whether it succeeded; undefined before Byzantium. */
  status: "success" | "reverted" | undefined;
  /** The root of the state after it; only before Byzantium. */
  root: Hex | undefined;
  gasUsed: bigint;
  cumulativeGasUsed: bigint;
  effectiveGasPrice: bigint;
  logsBloom: Hex;
  logs: Log[];
}

/** All transactions of a block, verified. */
export function verifyTransactions(block: Block, transactions: readonly Bytes[]): Transaction[] {
  const packed = packBlock(block, transactions, []);
  const reader = new Reader(ethereum.call(undefined, (wasm) => wasm.ethVerifyTransactions(packed)));
  return reader.sequence(() => readTransaction(block, reader));
}

/** One transaction of a block, verified with all of them. */
export function verifyTransaction(
  block: Block,
  transactions: readonly Bytes[],
  hash: Hex,
): Transaction {
  const [packed, bytes] = [packBlock(block, transactions, []), fromHex(hash)];
  const response = ethereum.call(undefined, (wasm) => wasm.ethVerifyTransaction(packed, bytes));
  return readTransaction(block, new Reader(response));
}

/** All receipts of a block, verified with all of its transactions. */
export function verifyReceipts(
  block: Block,
  transactions: readonly Bytes[],
  receipts: readonly Bytes[],
): TransactionReceipt[] {
  const packed = packBlock(block, transactions, receipts);
  const reader = new Reader(ethereum.call(undefined, (wasm) => wasm.ethVerifyReceipts(packed)));
  return reader.sequence(() => readReceipt(block, reader));
}

/** The receipt of one transaction of a block, verified with all transactions and receipts. */
export function verifyReceipt(
  block: Block,
  transactions: readonly Bytes[],
  receipts: readonly Bytes[],
  hash: Hex,
): TransactionReceipt {
  const [packed, bytes] = [packBlock(block, transactions, receipts), fromHex(hash)];
  const response = ethereum.call(undefined, (wasm) => wasm.ethVerifyReceipt(packed, bytes));
  return readReceipt(block, new Reader(response));
}

/** A block with its lists, for the binary. */
function packBlock({ hash, rlp }: Block, ...lists: (readonly Bytes[])[]): Bytes {
  const request = new Writer(65_536);
  request.array(hash);
  request.bytes(rlp);
  for (const list of lists) {
    request.sequence(list, (item) => {
      request.bytes(item);
    });
  }
  return request.finish();
}

/** A transaction in no block, verified by its hash. Its `effectiveGasPrice` is the most that it may pay. */
export function verifyPending(hash: Hex, raw: Bytes): SignedTransaction {
  const bytes = fromHex(hash);
  const response = ethereum.call(undefined, (wasm) => wasm.ethVerifyPending(bytes, raw));
  return readSigned(new Reader(response)).signed;
}

/** Decodes a transaction as it is sent to a node. */
export function decodeSent(raw: Uint8Array): SignedTransaction {
  const response = ethereum.call(undefined, (wasm) => wasm.ethDecodeSent(raw));
  return readSigned(new Reader(response)).signed;
}

const hexOf = (reader: Reader, length: number) => toHex(reader.array(length)) as Hex;

const optionalHex = (reader: Reader, length: number) =>
  reader.u8() === 0 ? undefined : hexOf(reader, length);

function readTransaction({ header }: Block, reader: Reader): Transaction {
  const { index, signed } = readSigned(reader);
  return {
    blockHash: header.hash,
    blockNumber: header.number,
    transactionIndex: index,
    ...signed,
  };
}

function readSigned(reader: Reader): { index: number; signed: SignedTransaction } {
  const index = Number(reader.u64());
  const signed = {
    type: reader.u8(),
    hash: hexOf(reader, 32),
    chainId: reader.optionalU64(),
    from: hexOf(reader, 20),
    nonce: reader.u64(),
    to: optionalHex(reader, 20),
    gas: reader.u64(),
    value: reader.uint(32),
    input: toHex(reader.bytes()) as Hex,
    maxFeePerGas: reader.uint(32),
    maxPriorityFeePerGas: reader.u8() === 0 ? undefined : reader.uint(32),
    effectiveGasPrice: reader.uint(32),
  };
  return { index, signed };
}

function readReceipt({ header }: Block, reader: Reader): TransactionReceipt {
  const type = reader.u8();
  const transactionHash = hexOf(reader, 32);
  const position = {
    blockHash: header.hash,
    blockNumber: header.number,
    transactionIndex: Number(reader.u64()),
  };
  const parties = {
    from: hexOf(reader, 20),
    to: optionalHex(reader, 20),
    contractAddress: optionalHex(reader, 20),
  };
  const gas = {
    gasUsed: reader.u64(),
    cumulativeGasUsed: reader.u64(),
    effectiveGasPrice: reader.uint(32),
  };
  const outcome = reader.u8();
  const root = outcome === 2 ? hexOf(reader, 32) : undefined;
  const status = outcome === 2 ? undefined : outcome === 1 ? "success" : "reverted";
  const logsBloom = hexOf(reader, 256);
  const firstLog = Number(reader.u64());
  const logs = reader.sequence(() => readLog(reader));
  return {
    transactionHash,
    type,
    ...position,
    ...parties,
    ...gas,
    status,
    root,
    logsBloom,
    logs: logs.map((log, index) => ({
      ...log,
      ...position,
      transactionHash,
      logIndex: firstLog + index,
    })),
  };
}

/** Reads a `Log`. */
export function readLog(reader: Reader): Pick<Log, "address" | "topics" | "data"> {
  return {
    address: hexOf(reader, 20),
    topics: reader.sequence(() => hexOf(reader, 32)),
    data: toHex(reader.bytes()) as Hex,
  };
}
