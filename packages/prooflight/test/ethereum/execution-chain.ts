/** The chain of the execution-apis tests, executed by another implementation, and the answers of a node that has it. */

import { readFileSync } from "node:fs";

import { type Block, type BlockHeader, createBlockFromRLP } from "@ethereumjs/block";
import { createCommonFromGethGenesis, parseGethGenesisState } from "@ethereumjs/common";
import { RLP } from "@ethereumjs/rlp";
import { getMerkleStateProof, MerkleStateManager } from "@ethereumjs/statemanager";
import type { TypedTransaction } from "@ethereumjs/tx";
import { createAddressFromString, hexToBytes } from "@ethereumjs/util";
import { createVM, runBlock } from "@ethereumjs/vm";

import { hex } from "./beacon-blocks.js";
import { chainOptions, type Genesis, pathOf, readGenesis } from "./execution-apis.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

interface GethReceipt {
  cumulativeBlockGasUsed: bigint;
  bitvector: Uint8Array;
  logs: [Uint8Array, Uint8Array[], Uint8Array][];
  status?: number;
  stateRoot?: Uint8Array;
}

interface Executed {
  block: Block;
  json: Json;
  full: Json;
  receipts: Json[];
  stateRoot: Uint8Array;
  uncles: Json[];
}

/** A chain, and what nodes say about it. */
export interface ExecutionChain {
  options: ReturnType<typeof chainOptions>;
  blocks: readonly { number: bigint; hash: Hex }[];
  execution: (method: string, params: readonly unknown[]) => Promise<unknown>;
}

/** Executes the chain of the repository, or that of other folders; throws if a block does not lead to the state, the receipts and the gas that its header has. */
export async function executeChain(folders?: readonly string[]): Promise<ExecutionChain> {
  const genesis = readGenesis(folders);
  const common = createCommonFromGethGenesis(genesis as never, { chain: "execution-apis" });
  // Needed to read transactions with blobs. Nothing in the chain verifies a blob.
  common.customCrypto.kzg = {} as never;
  const stateManager = new MerkleStateManager({ common });
  await stateManager.generateCanonicalGenesis(parseGethGenesisState(genesis as never));
  const hashes = new Map<bigint, Uint8Array>();
  // Only BLOCKHASH asks for blocks.
  const blockchain = {
    getBlock: (number: bigint) => Promise.resolve({ hash: () => hashes.get(number) }),
    putBlock: () => Promise.resolve(),
    shallowCopy: () => blockchain,
  };
  const vm = await createVM({
    common,
    stateManager,
    blockchain,
    setHardfork: true,
  } as never);
  const executed: Executed[] = [];
  for (const bytes of splitList(readFileSync(pathOf("chain.rlp", folders)))) {
    const block = createBlockFromRLP(bytes, {
      common,
      setHardfork: true,
      skipConsensusFormatValidation: true,
    });
    if (executed.length === 0 && block.header.number === 1n) {
      executed.push(genesisBlock(genesis, await stateManager.getStateRoot(), block));
      hashes.set(0n, block.header.parentHash);
    }
    const { receipts } = await runBlock(vm, {
      block,
      skipHeaderValidation: true,
      skipBlockValidation: true,
      setHardfork: true,
    });
    hashes.set(block.header.number, block.hash());
    executed.push(describeBlock(block, receipts));
  }
  return serve(stateManager, executed, chainOptions(folders));
}

/** The items of a concatenation of RLP lists. */
function splitList(bytes: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  let rest: Uint8Array = bytes;
  while (rest.length > 0) {
    const { remainder } = RLP.decode(rest, true);
    found.push(rest.slice(0, rest.length - remainder.length));
    rest = remainder;
  }
  return found;
}

const ZERO = `0x${"00".repeat(32)}`;
const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

function genesisBlock(genesis: Genesis, stateRoot: Uint8Array, next: Block): Executed {
  const fields = genesis as unknown as Record<string, string>;
  const json: Json = {
    hash: hex(next.header.parentHash),
    parentHash: ZERO,
    sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    miner: fields["coinbase"],
    stateRoot: hex(stateRoot),
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    logsBloom: `0x${"00".repeat(256)}`,
    difficulty: fields["difficulty"],
    number: "0x0",
    gasLimit: fields["gasLimit"],
    gasUsed: "0x0",
    timestamp: fields["timestamp"],
    extraData: fields["extraData"],
    mixHash: fields["mixHash"],
    nonce: `0x${(fields["nonce"] ?? "0x").slice(2).padStart(16, "0")}`,
    transactions: [],
    uncles: [],
  };
  const block = { header: { number: 0n }, hash: () => next.header.parentHash } as unknown as Block;
  return { block, json, full: json, receipts: [], stateRoot, uncles: [] };
}

function headerJson(header: BlockHeader): Json {
  const optional = (name: string, value: bigint | Uint8Array | undefined) =>
    value === undefined ? {} : { [name]: typeof value === "bigint" ? quantity(value) : hex(value) };
  return {
    hash: hex(header.hash()),
    parentHash: hex(header.parentHash),
    sha3Uncles: hex(header.uncleHash),
    miner: header.coinbase.toString(),
    stateRoot: hex(header.stateRoot),
    transactionsRoot: hex(header.transactionsTrie),
    receiptsRoot: hex(header.receiptTrie),
    logsBloom: hex(header.logsBloom),
    difficulty: quantity(header.difficulty),
    number: quantity(header.number),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    extraData: hex(header.extraData),
    mixHash: hex(header.mixHash),
    nonce: hex(header.nonce),
    ...optional("baseFeePerGas", header.baseFeePerGas),
    ...optional("withdrawalsRoot", header.withdrawalsRoot),
    ...optional("blobGasUsed", header.blobGasUsed),
    ...optional("excessBlobGas", header.excessBlobGas),
    ...optional("parentBeaconBlockRoot", header.parentBeaconBlockRoot),
    ...optional("requestsHash", header.requestsHash),
  };
}

function describeBlock(block: Block, receipts: readonly GethReceipt[]): Executed {
  const { header, transactions, withdrawals } = block;
  const json: Json = {
    ...headerJson(header),
    uncles: block.uncleHeaders.map((uncle) => hex(uncle.hash())),
    ...(withdrawals && {
      withdrawals: withdrawals.map(({ index, validatorIndex, address, amount }) => ({
        index: quantity(index),
        validatorIndex: quantity(validatorIndex),
        address: address.toString(),
        amount: quantity(amount),
      })),
    }),
  };
  return {
    block,
    json: { ...json, transactions: transactions.map((transaction) => hex(transaction.hash())) },
    full: {
      ...json,
      transactions: transactions.map((transaction, at) => transactionJson(block, transaction, at)),
    },
    receipts: transactions.map((transaction, at) =>
      receiptJson(block, transaction, at, receipts[at]),
    ),
    stateRoot: header.stateRoot,
    uncles: block.uncleHeaders.map(headerJson),
  };
}

function transactionJson(block: Block, transaction: TypedTransaction, at: number): Json {
  const { gasLimit, ...fields } = transaction.toJSON() as Json;
  const authorizations = fields["authorizationList"] as Record<string, string>[] | undefined;
  return {
    ...fields,
    // It writes 0 without digits.
    ...(authorizations && {
      authorizationList: authorizations.map((entry) =>
        Object.fromEntries(
          Object.entries(entry).map(([name, value]) => [name, value === "0x" ? "0x0" : value]),
        ),
      ),
    }),
    gas: gasLimit,
    input: fields["data"],
    from: transaction.getSenderAddress().toString(),
    to: transaction.to?.toString() ?? null,
    hash: hex(transaction.hash()),
    type: quantity(BigInt(transaction.type)),
    blockHash: hex(block.hash()),
    blockNumber: quantity(block.header.number),
    transactionIndex: quantity(BigInt(at)),
  };
}

function receiptJson(
  block: Block,
  transaction: TypedTransaction,
  at: number,
  receipt: GethReceipt | undefined,
): Json {
  if (!receipt) throw new Error("a transaction without a receipt");
  const place = {
    blockHash: hex(block.hash()),
    blockNumber: quantity(block.header.number),
    transactionHash: hex(transaction.hash()),
    transactionIndex: quantity(BigInt(at)),
  };
  return {
    ...place,
    type: quantity(BigInt(transaction.type)),
    ...(receipt.stateRoot
      ? { root: hex(receipt.stateRoot) }
      : { status: quantity(BigInt(receipt.status ?? 0)) }),
    cumulativeGasUsed: quantity(receipt.cumulativeBlockGasUsed),
    logsBloom: hex(receipt.bitvector),
    logs: receipt.logs.map(([address, topics, data]) => ({
      ...place,
      address: hex(address),
      topics: topics.map(hex),
      data: hex(data),
    })),
  };
}

function serve(
  stateManager: MerkleStateManager,
  executed: readonly Executed[],
  options: ExecutionChain["options"],
): ExecutionChain {
  const at = (name: unknown) => {
    const { blockHash = name } = Object(name) as { blockHash?: unknown };
    return executed.find(({ json }) => json["hash"] === blockHash || json["number"] === blockHash);
  };
  /** The state after a block; one question after another, since they share it. */
  let last: Promise<unknown> = Promise.resolve();
  const inState = <T>(name: unknown, read: () => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      const block = at(name);
      if (!block) throw new Error(`no block ${String(name)}`);
      await stateManager.setStateRoot(block.stateRoot, true);
      return read();
    });
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    options,
    blocks: executed.map(({ block, json }) => ({
      number: block.header.number,
      hash: json["hash"] as Hex,
    })),
    async execution(method, params) {
      const [first, second, third] = params;
      switch (method) {
        case "eth_getBlockByHash":
        case "eth_getBlockByNumber":
          return (second === true ? at(first)?.full : at(first)?.json) ?? null;
        case "eth_getHeaderByNumber":
          return at(first)?.json ?? null;
        case "eth_getLogs":
          return logsOf(executed, at, first as LogsFilter);
        case "eth_getUncleByBlockHashAndIndex":
          return at(first)?.uncles[Number(second)] ?? null;
        case "eth_getBlockReceipts":
          return at(first)?.receipts ?? null;
        case "eth_getTransactionReceipt":
          return (
            executed
              .flatMap(({ receipts }) => receipts)
              .find(({ transactionHash }) => transactionHash === first) ?? null
          );
        case "eth_getTransactionByHash":
          return (
            executed
              .flatMap(({ full }) => full["transactions"] as Json[])
              .find(({ hash }) => hash === first) ?? null
          );
        case "eth_getCode":
          return inState(second, async () =>
            hex(await stateManager.getCode(createAddressFromString(first as Hex))),
          );
        case "eth_getProof": {
          const slots = (second as Hex[]).map((slot) => hexToBytes(slot));
          return inState(third, () =>
            getMerkleStateProof(stateManager, createAddressFromString(first as Hex), slots),
          );
        }
        case "eth_sendRawTransaction":
          return ZERO; // The provider computes the hash itself.
        default:
          return undefined;
      }
    },
  };
}

interface LogsFilter {
  address?: Hex[];
  topics: (Hex[] | null)[];
  blockHash?: Hex;
  fromBlock?: Hex;
  toBlock?: Hex;
}

/** The logs of a range, or of one block, which must exist. */
function logsOf(
  executed: readonly Executed[],
  at: (name: unknown) => Executed | undefined,
  { address, topics, blockHash, fromBlock = "0x0", toBlock = "0x0" }: LogsFilter,
): Json[] {
  const one = at(blockHash);
  if (blockHash !== undefined && !one) throw new Error(`unknown block ${blockHash}`);
  const range = executed.filter(
    ({ block: { header } }) =>
      header.number >= BigInt(fromBlock) && header.number <= BigInt(toBlock),
  );
  return (one ? [one] : range)
    .flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs as Json[]))
    .filter((log) => {
      const found = log["topics"] as Hex[];
      const matches = (asked: Hex[] | null, at: number) =>
        asked?.includes(found[at] ?? "0x") ?? true;
      const isOfContract = address?.includes(log["address"] as Hex) ?? true;
      return isOfContract && topics.length <= found.length && topics.every(matches);
    });
}

const quantity = (number: bigint): Hex => `0x${number.toString(16)}`;
