/** Verified bodies of blocks: their transactions and withdrawals, in RLP. */

import { type Bytes, type Hex, toHex } from "../bytes.js";
import { refuse } from "../error.js";
import type { Server } from "../transport/servers.js";
import { ethereum } from "../wasm/ethereum.js";
import { Reader, Writer } from "../wire.js";
import type { Block } from "./blocks.js";
import { encodeHeader, encodeTransaction, encodeWithdrawal } from "./encode.js";
import { JsonValue, wrong } from "./json.js";
import { ofBlock } from "./receipts.js";

/** A body. */
export interface BlockBody {
  block: Block;
  /** The transactions in their signed form. */
  transactions: readonly Bytes[];
  /** Their hashes. */
  hashes: readonly Hex[];
  /** The headers of the ommers, which occur only before the merge, with their hashes. */
  ommers: readonly { hash: Hex; rlp: Bytes }[];
  /** Undefined before Shanghai. */
  withdrawals: readonly Bytes[] | undefined;
}

/** The most ommers of a block. */
const MAX_OMMERS = 2;

/** The most bodies that are kept, of about 200 KB each. */
const MAX_CACHED_BODIES = 32;

/** Verified bodies, from a cache and from servers. */
export class Bodies {
  /** By the block's hash, the least recently used first. */
  readonly #cached = new Map<Hex, BlockBody>();

  /** The body of a block; a server must give all of it. */
  async of(server: Server, block: Block): Promise<BlockBody> {
    const { hash } = block.header;
    const body = this.#cached.get(hash) ?? (await fetchBody(server, block));
    this.#cached.delete(hash);
    this.#cached.set(hash, body);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_CACHED_BODIES && oldest) this.#cached.delete(oldest);
    return body;
  }
}

/** All transactions of a block in RLP, unverified. */
export async function transactionsOf(server: Server, { header: { hash } }: Block) {
  const reply = await server.call("eth_getBlockByHash", [hash, true]);
  return transactionsIn(ofBlock(reply, hash, "the block"));
}

const transactionsIn = (block: JsonValue) =>
  block.member("transactions").list().map(encodeTransaction);

async function fetchBody(server: Server, block: Block): Promise<BlockBody> {
  const { hash, withdrawalsRoot } = block.header;
  const reply = await server.call("eth_getBlockByHash", [hash, true]);
  if (reply === null) throw refuse("unknown_block", "a block", hash);
  const given = new JsonValue(reply, "the block");
  const transactions = transactionsIn(given);
  const withdrawals =
    withdrawalsRoot === undefined ? undefined : given.items("withdrawals").map(encodeWithdrawal);
  const count = given.items("uncles").length;
  if (count > MAX_OMMERS) throw wrong(given.path, `of ${MAX_OMMERS} uncles`, `${count}`);
  const ommers: Bytes[] = [];
  for (let index = 0; index < count; index++) {
    const method = "eth_getUncleByBlockHashAndIndex";
    const header = await server.call(method, [hash, `0x${index.toString(16)}`]);
    ommers.push(encodeHeader(new JsonValue(header, method)));
  }
  const hashes = verify(block, transactions, ommers, withdrawals);
  return {
    block,
    transactions,
    withdrawals,
    hashes: hashes.slice(0, transactions.length),
    ommers: ommers.map((rlp, index) => ({
      rlp,
      hash: hashes[transactions.length + index] ?? "0x",
    })),
  };
}

/** Verifies a body; returns the hashes of its transactions, then those of its ommers. */
function verify(
  { hash, rlp }: Block,
  transactions: readonly Bytes[],
  ommers: readonly Bytes[],
  withdrawals: readonly Bytes[] | undefined,
): Hex[] {
  const request = new Writer(65_536);
  const write = (item: Bytes) => {
    request.bytes(item);
  };
  request.array(hash);
  request.bytes(rlp);
  request.sequence(transactions, write);
  request.sequence(ommers, write);
  request.bool(withdrawals !== undefined);
  if (withdrawals) request.sequence(withdrawals, write);
  const packed = request.finish();
  const reader = new Reader(ethereum.call(undefined, (wasm) => wasm.ethVerifyBody(packed)));
  return [...transactions, ...ommers].map(() => toHex(reader.array(32)) as Hex);
}
