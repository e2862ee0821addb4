/** Transactions and receipts, verified by all transactions and receipts of their block. */

import { type Bytes, fromHex, type Hex, toHex } from "../bytes.js";
import { refuse, VerifyError } from "../error.js";
import type { Server } from "../transport/servers.js";
import { ethereum } from "../wasm/ethereum.js";
import { Reader, Writer } from "../wire.js";
import type { Block, Blocks } from "./blocks.js";
import { encodeTransaction } from "./encode.js";
import type { Heads } from "./heads.js";
import { JsonValue, NullAnswer } from "./json.js";
import { ofBlock, receiptsOf } from "./receipts.js";

/** A transaction's place in the chain. */
export interface TransactionPlace {
  blockHash: Hex;
  blockNumber: bigint;
  /** Its index in the block. */
  transactionIndex: number;
}

/** A transaction without a place; its fields are named as in JSON-RPC. Amounts are in wei. */
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
export interface Transaction extends SignedTransaction, TransactionPlace {}

/** A log of a contract. */
export interface Log extends TransactionPlace {
  transactionHash: Hex;
  address: Hex;
  /** At most four. */
  topics: Hex[];
  data: Hex;
  /** Its index in the block. */
  logIndex: number;
}

/** A receipt; its fields are named as in JSON-RPC. Amounts are in wei. */
export interface TransactionReceipt extends TransactionPlace {
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

/** The verified transaction with a hash. */
export async function transaction(
  server: Server,
  blocks: Blocks,
  heads: Heads,
  hash: Hex,
): Promise<Transaction> {
  const { block, claimed } = await blockOf(server, blocks, heads, hash);
  const transactions = await transactionsOf(server, block);
  return onBranch(claimed, block, () => verifyTransaction(block, transactions, hash));
}

/** The verified receipt of a transaction. */
export async function receipt(
  server: Server,
  blocks: Blocks,
  heads: Heads,
  hash: Hex,
): Promise<TransactionReceipt> {
  const { block, claimed } = await blockOf(server, blocks, heads, hash);
  const [packed, bytes] = [await withReceipts(server, block), fromHex(hash)];
  const response = onBranch(claimed, block, () =>
    ethereum.call(undefined, (wasm) => wasm.ethVerifyReceipt(packed, bytes)),
  );
  return readReceipt(block, new Reader(response));
}

/** All verified receipts of a block. */
export async function blockReceipts(server: Server, block: Block): Promise<TransactionReceipt[]> {
  const packed = await withReceipts(server, block);
  return readReceipts(block, packed);
}

/** Verifies all transactions and receipts of a block, both in RLP. */
export const verifyReceipts = (
  block: Block,
  transactions: readonly Bytes[],
  receipts: readonly Bytes[],
): TransactionReceipt[] => readReceipts(block, packBlock(block, transactions, receipts));

function readReceipts(block: Block, packed: Bytes): TransactionReceipt[] {
  const reader = new Reader(ethereum.call(undefined, (wasm) => wasm.ethVerifyReceipts(packed)));
  return reader.sequence(() => readReceipt(block, reader));
}

/** A block with its transactions and receipts, for the binary. */
async function withReceipts(server: Server, block: Block): Promise<Bytes> {
  const transactions = await transactionsOf(server, block);
  return packBlock(block, transactions, await receiptsOf(server, block));
}

/** A block with its lists, for the binary. */
function packBlock(
  block: Block,
  transactions: readonly Bytes[],
  receipts: readonly Bytes[],
): Bytes {
  const request = start(block);
  for (const list of [transactions, receipts]) {
    request.sequence(list, (item) => {
      request.bytes(item);
    });
  }
  return request.finish();
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

async function transactionsOf(server: Server, { header }: Block): Promise<Bytes[]> {
  const reply = await server.call("eth_getBlockByHash", [header.hash, true]);
  const block = ofBlock(reply, header.hash, "the block");
  return block.member("transactions").list().map(encodeTransaction);
}

/**
 * Runs `verify` with a transaction and the block of the number that a server claims for it.
 *
 * A server that names another block of that number is on another branch, which is no lie: it has no answer about
 * the heads' branch.
 */
export function onBranch<T>(claimed: JsonValue, { header }: Block, verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    const isMissing = error instanceof VerifyError && error.reason === "transaction_mismatch";
    const hash = claimed.optional("blockHash")?.bytes(32);
    if (!isMissing || (hash && toHex(hash) === header.hash)) throw error;
    const expected = `a transaction of block ${header.hash}`;
    throw refuse("unknown_block", expected, "one of another block of its number", { cause: error });
  }
}

/** The block of the number that a server claims for the transaction, and its claim. */
async function blockOf(
  server: Server,
  blocks: Blocks,
  heads: Heads,
  hash: Hex,
): Promise<{ block: Block; claimed: JsonValue }> {
  const method = "eth_getTransactionByHash";
  const reply = await server.call(method, [hash]);
  // No proof shows that the chain does not have a transaction. A pending one is in no block.
  const claimed = new JsonValue(reply, method);
  const number = reply === null ? undefined : claimed.optional("blockNumber");
  if (number) return { block: await blocks.at(server, heads, number.quantity()), claimed };
  const expected = `a block with the transaction ${hash}`;
  throw refuse("unknown_transaction", expected, "none", { cause: new NullAnswer(hash) });
}

function start({ hash, rlp }: Block): Writer {
  const request = new Writer(65_536);
  request.array(hash);
  request.bytes(rlp);
  return request;
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
  const place = {
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
    ...place,
    ...parties,
    ...gas,
    status,
    root,
    logsBloom,
    logs: logs.map((log, index) => ({
      ...log,
      ...place,
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
