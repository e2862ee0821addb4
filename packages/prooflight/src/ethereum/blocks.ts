/** Verified headers, from the hashes of heads. */

import { type Bytes, fromHex, type Hex, toHex } from "../bytes.js";
import { refuse, VerifyError } from "../error.js";
import type { Reason } from "../registry.js";
import { isRateLimit, isUnknownMethod } from "../transport/failure.js";
import type { Server } from "../transport/servers.js";
import { ethereum } from "../wasm/ethereum.js";
import { Reader, Writer } from "../wire.js";
import { encodeHeader } from "./encode.js";
import { explainHeader } from "./forks.js";
import type { Heads } from "./heads.js";
import { JsonValue, NullAnswer, quantity } from "./json.js";
import type { BlockName } from "./options.js";
import { askState } from "./states.js";

/** A block's header; its fields are named as in JSON-RPC. */
export interface BlockHeader {
  hash: Hex;
  number: bigint;
  parentHash: Hex;
  /** Seconds since 1970. */
  timestamp: bigint;
  /** The recipient of the fees. */
  miner: Hex;
  stateRoot: Hex;
  transactionsRoot: Hex;
  receiptsRoot: Hex;
  logsBloom: Hex;
  gasLimit: bigint;
  gasUsed: bigint;
  /** Since the merge, the beacon chain's randomness. */
  mixHash: Hex;
  /** In wei; since London. */
  baseFeePerGas: bigint | undefined;
  /** Since Shanghai. */
  withdrawalsRoot: Hex | undefined;
  /** Since Cancun. */
  blobGasUsed: bigint | undefined;
  /** Since Cancun. */
  excessBlobGas: bigint | undefined;
  /** Since Cancun. */
  parentBeaconBlockRoot: Hex | undefined;
  /** Since Prague. */
  requestsHash: Hex | undefined;
}

/** A verified header. */
export interface Block {
  header: BlockHeader;
  hash: Bytes;
  rlp: Bytes;
}

/** The contract that stores the hashes of older blocks since Prague (EIP-2935), and their number. */
const HISTORY_CONTRACT = "0x0000f90827f1c53a10cb7a02335b175320002935";
const HISTORY_WINDOW = 8191n;

/** Up to this many blocks, walking costs less than a proof and its header. */
const SHORT_WALK = 4n;

/** The most headers that are asked for at once. */
const MAX_CONCURRENT_HEADERS = 16;

/** The most headers that are kept: some megabytes. */
const MAX_CACHED_BLOCKS = 4096;

/** Verified headers, from a cache and from servers. */
export class Blocks {
  readonly #maxWalk: bigint;
  readonly #requests = new HeaderRequests();
  /** By hash, the least recently used first. */
  readonly #cached = new Map<Hex, Block>();

  constructor(maxWalk: bigint) {
    this.#maxWalk = maxWalk;
  }

  /** The block that a question names; it is an ancestor of a head, or one itself. */
  async at(server: Server, heads: Heads, name: BlockName): Promise<Block> {
    if (name === "finalized" || name === "safe") return this.#ofHead(server, heads.finalized);
    const latest = await this.#ofHead(server, heads.latest);
    if (name === "latest") return latest;
    if (typeof name === "bigint") return this.#ancestor(server, latest, name);
    const named = await this.#named(server, heads, name);
    const canonical = await this.#ancestor(server, latest, named.header.number);
    ethereum.call(undefined, (wasm) => {
      wasm.ethCheckCanonical(named.hash, canonical.hash);
    });
    return named;
  }

  /** The block with a hash that the caller trusts. The block exists, so a server that has none fails. */
  async byHash(server: Server, hash: Hex): Promise<Block> {
    const known = this.#find(hash);
    if (known) return known;
    const reply = await askBlock(server, hash);
    if (reply === null) throw unknownBlock("a block that the chain has", hash);
    return this.#verify(hash, reply);
  }

  /** The block with a hash that the caller named, which may not exist. */
  async #named(server: Server, heads: Heads, hash: Hex): Promise<Block> {
    if (this.#exists(heads, hash)) return this.byHash(server, hash);
    const reply = await askBlock(server, hash);
    if (reply !== null) return this.#verify(hash, reply);
    throw refuse("unknown_block", "a block", hash, { cause: new NullAnswer(hash) });
  }

  /** Whether a block with this hash is known to exist: it is a head, or its own or a child's header was verified. */
  #exists({ latest, finalized }: Heads, hash: Hex): boolean {
    const heads = [latest, finalized].map(({ executionBlockHash }) => executionBlockHash);
    if (heads.includes(hash) || this.#cached.has(hash)) return true;
    for (const { header } of this.#cached.values()) if (header.parentHash === hash) return true;
    return false;
  }

  /**
   * The blocks of a range, ascending, of which the last is verified. Calls `check` with the number of the first block
   * that has been reached.
   */
  async range(
    server: Server,
    from: bigint,
    last: Block,
    check: (reached: bigint) => void,
  ): Promise<[Block, ...Block[]]> {
    const found: [Block, ...Block[]] = [last];
    for (;;) {
      const [first] = found;
      const { number } = first.header;
      if (number <= from) return found;
      const count = Math.min(Number(number - from), MAX_CONCURRENT_HEADERS);
      for (const block of await this.#parents(server, first, count)) found.unshift(block);
      check(found[0].header.number);
    }
  }

  /** The blocks before one, descending. */
  async #parents(server: Server, block: Block, count: number): Promise<Block[]> {
    const { number } = block.header;
    const numbers = Array.from({ length: count }, (_, index) => number - 1n - BigInt(index));
    const known = this.#find(block.header.parentHash) !== undefined;
    const replies = known ? [] : await this.#requests.send(server, numbers);
    const found: Block[] = [];
    let child = block;
    for (let index = 0; index < count; index++) {
      const hash = child.header.parentHash;
      const parent = this.#find(hash) ?? this.#verifyReply(hash, replies[index]);
      // The server's chain may have another block of this number.
      child = parent ?? (await this.byHash(server, hash));
      found.push(child);
    }
    return found;
  }

  #verifyReply(hash: Hex, reply: unknown): Block | undefined {
    if (reply === undefined || reply === null) return undefined;
    try {
      return this.#verify(hash, reply);
    } catch (error) {
      if (!(error instanceof VerifyError) || !OTHER_HEADER.has(error.reason)) throw error;
      return undefined;
    }
  }

  async #ofHead(server: Server, { slot, executionBlockHash }: Heads["latest"]): Promise<Block> {
    if (executionBlockHash) return this.byHash(server, executionBlockHash);
    throw refuse("unsupported_fork", "a head that shows an execution block", `slot ${slot}`);
  }

  async #ancestor(server: Server, head: Block, number: bigint): Promise<Block> {
    const distance = head.header.number - number;
    if (distance === 0n) return head;
    if (distance < 0n) throw unknownBlock(`a block up to the head, ${head.header.number}`, number);
    const canWalk = distance <= this.#maxWalk;
    const isInState = head.header.requestsHash !== undefined && distance <= HISTORY_WINDOW;
    if (isInState && distance > SHORT_WALK) {
      try {
        const block = await this.byHash(server, await this.#hashInState(server, head, number));
        if (block.header.number === number) return block;
        throw refuse("wrong_block", `block ${number}`, `block ${block.header.number}`);
      } catch (error) {
        // The state has no hashes of blocks before Prague, and a development chain may have none at all.
        if (!(error instanceof VerifyError) || error.reason !== "unknown_block") throw error;
        if (!canWalk) throw error;
      }
    }
    if (!canWalk) {
      throw unknownBlock(`one of the ${this.#maxWalk} blocks before ${head.header.number}`, number);
    }
    const [block] = await this.range(server, number, head, () => undefined);
    return block;
  }

  /** The hash of an older block in the state of a newer one. */
  async #hashInState(server: Server, head: Block, number: bigint): Promise<Hex> {
    const slot: Hex = `0x${(number % HISTORY_WINDOW).toString(16).padStart(64, "0")}`;
    return askState(server, head, "eth_getProof", [HISTORY_CONTRACT, [slot]], (reply) => {
      const proof = new JsonValue(reply, "eth_getProof");
      const nothing = new JsonValue(undefined, "eth_getProof.storageProof[0]");
      const [storage = nothing] = proof.items("storageProof");
      const request = new Writer(8192);
      request.array(head.hash);
      request.bytes(head.rlp);
      request.u64(number);
      for (const nodes of [proof.items("accountProof"), storage.items("proof")]) {
        request.sequence(nodes, (node) => {
          request.bytes(node.bytes());
        });
      }
      const packed = request.finish();
      return toHex(ethereum.call(undefined, (wasm) => wasm.ethVerifyAncestor(packed))) as Hex;
    });
  }

  #verify(hash: Hex, reply: unknown): Block {
    const given = new JsonValue(reply, "the block");
    const rlp = encodeHeader(given);
    const bytes = fromHex(hash);
    const response = explainHeader(given, () =>
      ethereum.call(undefined, (wasm) => wasm.ethVerifyHeader(bytes, rlp)),
    );
    const block = { header: readHeader(hash, response), hash: bytes, rlp };
    this.#cache(block);
    return block;
  }

  #find(hash: Hex): Block | undefined {
    const block = this.#cached.get(hash);
    if (block) this.#cache(block);
    return block;
  }

  #cache(block: Block): void {
    const { hash } = block.header;
    this.#cached.delete(hash);
    this.#cached.set(hash, block);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_CACHED_BLOCKS && oldest) this.#cached.delete(oldest);
  }
}

/** The reasons to refuse a header that has another hash, or lacks members of a block. */
const OTHER_HEADER: ReadonlySet<Reason> = new Set([
  "header_hash_mismatch",
  "invalid_answer",
  "unsupported_fork",
]);

const askBlock = (server: Server, hash: Hex) => server.call("eth_getBlockByHash", [hash, false]);

const unknownBlock = (expected: string, found: bigint | Hex) =>
  refuse("unknown_block", expected, `${found}`);

function readHeader(hash: Hex, response: Bytes): BlockHeader {
  const reader = new Reader(response);
  const hex = (length: number) => toHex(reader.array(length)) as Hex;
  const optional = () => (reader.u8() === 0 ? undefined : hex(32));
  const [parentHash, miner, stateRoot, transactionsRoot] = [hex(32), hex(20), hex(32), hex(32)];
  const [receiptsRoot, logsBloom] = [hex(32), hex(256)];
  const [number, gasLimit, gasUsed] = [reader.u64(), reader.u64(), reader.u64()];
  return {
    hash,
    number,
    parentHash,
    timestamp: reader.u64(),
    miner,
    stateRoot,
    transactionsRoot,
    receiptsRoot,
    logsBloom,
    gasLimit,
    gasUsed,
    mixHash: hex(32),
    baseFeePerGas: reader.u8() === 0 ? undefined : reader.uint(32),
    withdrawalsRoot: optional(),
    blobGasUsed: reader.optionalU64(),
    excessBlobGas: reader.optionalU64(),
    parentBeaconBlockRoot: optional(),
    requestsHash: optional(),
  };
}

/** Asks for headers alone if a server has the method: they take a tenth of the bytes of a block with hashes. */
class HeaderRequests {
  /** The servers without `eth_getHeaderByNumber`. */
  readonly #withoutMethod = new Set<string>();

  /** What a server says about the headers with these numbers, unverified. */
  async send(server: Server, numbers: readonly bigint[]): Promise<unknown[]> {
    const ask = (method: string, ...params: unknown[]) =>
      Promise.all(numbers.map((number) => server.call(method, [quantity(number), ...params])));
    if (!this.#withoutMethod.has(server.name)) {
      try {
        return await ask("eth_getHeaderByNumber");
      } catch (error) {
        const isError = error instanceof VerifyError && error.reason === "server_error";
        if (!isError || isRateLimit(error)) throw error;
        if (isUnknownMethod(error)) this.#withoutMethod.add(server.name);
      }
    }
    return ask("eth_getBlockByNumber", false);
  }
}
