/** Recorded cases, served as beacon and execution nodes would serve them. */

import { ssz } from "@lodestar/types";
import { keccak256 } from "ethers";

import { blockJson, hex, optimisticUpdate } from "./beacon-blocks.js";
import type { NetworkName } from "../../src/ethereum.js";
import {
  type LightClientData,
  PERIOD,
  type Type,
  typesOf,
  type Update,
  type Walk,
  walkTo,
} from "./light-client-data.js";
import { type Case, lightClientOf, type Pair } from "./recorded.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

/** A recorded execution block: in JSON with hashes of transactions, and, if its payload is known, with all of them. */
export interface Recorded {
  json: Json;
  full: Json | undefined;
}

/** What execution nodes say when a block of the case is the head. */
interface Execution {
  network: NetworkName;
  /** The slot, the execution block's hash and its number. */
  slot: bigint;
  hash: Hex;
  number: bigint;
  /** The time in milliseconds at which the second block arrived. */
  now: bigint;
  execution: (method: string, params: readonly unknown[]) => unknown;
  /** The recorded block of this number from which parents' hashes lead to the head. */
  blockAt: (number: bigint) => Recorded | undefined;
}

/** A head that a recorded committee signed. */
export interface Served extends Execution {
  checkpoint: Hex;
  /** How many periods lie between the checkpoint and the head. */
  periods: number;
  beacon: (path: string, json: boolean) => Uint8Array | object | undefined;
}

/** A head whose committee is not recorded: its hash must be trusted. */
export interface Pinned extends Execution {
  pinned: string;
}

/**
 * Serves every head of a case, the newest first, with light-client data of these sources; a text says what the case
 * lacks.
 */
export async function serveAll(
  one: Case,
  sources: readonly LightClientData[] = lightClientOf(one),
): Promise<(Served | Pinned)[] | string> {
  const { network, chainId, pairs, blocks, unread } = one;
  if (!network) return `the parameters of chain ${chainId}`;
  if (pairs.length === 0) {
    const read = `${blocks.length} beacon block${blocks.length === 1 ? "" : "s"}`;
    const why = unread.length > 0 ? ` (${unread.join("; ")})` : "";
    return `two beacon blocks of which one signs the other, among ${read}${why}`;
  }
  const known = await recordedBlocks(one);
  return pairs.map((pair) => {
    const execution = executionOf(one, network, pair, known);
    const slot = pair.child.message.slot;
    const walk = walkTo(slot, sources);
    if (!walk)
      return { ...execution, pinned: `no committee of period ${Math.floor(slot / PERIOD)}` };
    const { bootstrap } = walk;
    const periods = Math.floor(slot / PERIOD) - Math.floor(bootstrap.slot / PERIOD);
    return { ...execution, checkpoint: bootstrap.root, periods, beacon: beaconOf(pair, walk) };
  });
}

/** Serves the newest head that a recorded committee signed; a text says what the case lacks. */
export async function serve(one: Case): Promise<Served | string> {
  const all = await serveAll(one);
  if (typeof all === "string") return all;
  const [first] = all;
  return all.find((head) => "checkpoint" in head) ?? (first as Pinned).pinned;
}

const quantity = (number: number | bigint): Hex => `0x${number.toString(16)}`;

/** The blocks of a case by their hashes, from beacon blocks and from replies. */
async function recordedBlocks({ blocks, replies }: Case): Promise<Map<Hex, Recorded>> {
  const known = new Map<Hex, Recorded>();
  for (const reply of replies) {
    if (!isObject(reply) || !("stateRoot" in reply && "parentHash" in reply)) continue;
    const transactions = reply["transactions"] as (Hex | Json)[];
    const isFull = transactions.every((one) => typeof one === "object");
    const hashes = transactions.map((one) => (typeof one === "object" ? one["hash"] : one));
    known.set(reply["hash"] as Hex, {
      json: { ...reply, transactions: hashes },
      full: isFull ? reply : undefined,
    });
  }
  for (const block of blocks) {
    const [json, full] = [await blockJson(block, false), await blockJson(block, true)];
    known.set(json["hash"] as Hex, { json, full });
  }
  return known;
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

function executionOf(
  { replies }: Case,
  network: NonNullable<Case["network"]>,
  { parent, child }: Pair,
  known: Map<Hex, Recorded>,
): Execution {
  const payload = parent.message.body.executionPayload;
  const [hash, number] = [hex(payload.blockHash), BigInt(payload.blockNumber)];
  /** By number, as far as parents' hashes lead. */
  const chain = new Map<string, Recorded>();
  for (let at = known.get(hash); at; at = known.get(at.json["parentHash"] as Hex)) {
    chain.set(at.json["number"] as string, at);
  }
  const named = (name: unknown) =>
    known.get(name as Hex) ??
    chain.get(name as string) ??
    (isHeadTag(name) ? known.get(hash) : undefined);
  const stateOf = (name: unknown) => (named(name) ?? known.get(hash))?.json["stateRoot"] as Hex;
  const receiptsOf = (name: unknown) => {
    const at = named(name)?.json["hash"] ?? name;
    const recorded = replies.filter(isList("cumulativeGasUsed"));
    return recorded.find(([receipt]) => receipt?.["blockHash"] === at);
  };
  return {
    network: network.name,
    slot: BigInt(parent.message.slot),
    hash,
    number,
    now: BigInt(network.genesis + 12 * child.message.slot) * 1000n,
    blockAt: (number) => chain.get(quantity(number)),
    execution(method, params) {
      const [first, second, third] = params;
      switch (method) {
        case "eth_getBlockByHash":
        case "eth_getBlockByNumber": {
          const block = named(first);
          return block ? (second === true ? block.full : block.json) : null;
        }
        case "eth_getTransactionByHash": {
          const all = [...known.values()].flatMap(
            ({ full }) => (full?.["transactions"] ?? []) as Json[],
          );
          return all.find(({ hash }) => hash === first) ?? null;
        }
        case "eth_getBlockReceipts":
          return receiptsOf(first);
        case "eth_getLogs":
          return logsIn(first as LogsFilter, named, receiptsOf) ?? replies.find(isList("logIndex"));
        case "eth_getProof":
          return proofOf(replies, String(first), (second ?? []) as Hex[], stateOf(third));
        case "eth_getCode": {
          const proof = proofOf(replies, String(first), [], stateOf(second));
          return proof && codeOf(replies, meant(proof).codeHash);
        }
        default:
          return undefined;
      }
    },
  };
}

/** Whether a reply is a list of objects with this member. */
const isList =
  (member: string) =>
  (reply: unknown): reply is Json[] =>
    Array.isArray(reply) && isObject(reply[0]) && member in reply[0];

/** The tags of the newest block, which a filter may leave out. */
export const isHeadTag = (name: unknown) =>
  name === undefined || name === "latest" || name === "pending";

/** The filter of `eth_getLogs`. */
export interface LogsFilter {
  address?: Hex | Hex[] | null;
  topics?: (Hex | Hex[] | null)[] | null;
  fromBlock?: string;
  toBlock?: string;
  blockHash?: string;
}

/** The logs that match a filter; undefined if receipts of one of its blocks are not recorded. */
function logsIn(
  filter: LogsFilter,
  named: (name: unknown) => Recorded | undefined,
  receiptsOf: (name: unknown) => Json[] | undefined,
): Json[] | undefined {
  const { blockHash, fromBlock, toBlock } = filter;
  const [from, to] = [blockHash ?? fromBlock, blockHash ?? toBlock].map(named);
  if (!from || !to) return undefined;
  const last = BigInt(to.json["number"] as Hex);
  const found: Json[] = [];
  for (let number = BigInt(from.json["number"] as Hex); number <= last; number++) {
    const receipts = receiptsOf(quantity(number));
    if (!receipts) return undefined;
    const logs = receipts.flatMap((receipt) => receipt["logs"] as Json[]);
    found.push(...logs.filter((log) => isMatch(log, filter)));
  }
  return found;
}

function isMatch(log: Json, { address, topics }: LogsFilter): boolean {
  const isOneOf = (found: unknown, wanted: Hex | Hex[] | null | undefined) => {
    const all = [wanted ?? []].flat().map((one) => one.toLowerCase());
    return all.length === 0 || all.includes(String(found).toLowerCase());
  };
  const found = log["topics"] as Hex[];
  const positions = topics ?? [];
  return (
    isOneOf(log["address"], address) &&
    positions.length <= found.length &&
    positions.every((wanted, at) => isOneOf(found[at], wanted))
  );
}

/** A recorded answer to `eth_getProof`, as its node sent it. */
interface SentProof extends Json {
  address: Hex;
  balance?: Hex | null;
  nonce?: Hex | null;
  codeHash?: Hex | null;
  storageHash?: Hex | null;
  accountProof: Hex[];
  storageProof?: { key: Hex; value: Hex | null; proof: Hex[] | null }[] | null;
}

/** An account and slots as a recorded answer means them; what nodes write in several ways in one way. */
export interface Proof extends Json {
  address: Hex;
  balance: Hex;
  nonce: Hex;
  codeHash: Hex;
  storageHash: Hex;
  accountProof: Hex[];
  storageProof: { key: Hex; value: Hex; proof: Hex[] }[];
}

const EMPTY_CODE = keccak256("0x") as Hex;
const EMPTY_TRIE = keccak256("0x80") as Hex;

/** A hash, or that of something empty if there are zeros or nothing. */
const hashOr = (hash: Hex | null | undefined, empty: Hex) =>
  hash && BigInt(hash) !== 0n ? hash : empty;

/** The nodes that a proof needs: a node below 32 bytes is in its parent, unless it is the root. */
const nodesOf = (proof: Hex[] | null): Hex[] =>
  (proof ?? []).filter((node, at) => node.length >= 2 + 2 * 32 || (at === 0 && node.length > 4));

function meant(sent: SentProof): Proof {
  const { balance, nonce, codeHash, storageHash, storageProof } = sent;
  return {
    address: sent.address,
    balance: quantity(BigInt(balance ?? 0)),
    nonce: quantity(BigInt(nonce ?? 0)),
    codeHash: hashOr(codeHash, EMPTY_CODE),
    storageHash: hashOr(storageHash, EMPTY_TRIE),
    accountProof: nodesOf(sent.accountProof),
    storageProof: (storageProof ?? []).map(({ key, value, proof }) => ({
      key: quantity(BigInt(key)),
      value: quantity(BigInt(value ?? 0)),
      proof: nodesOf(proof),
    })),
  };
}

const sentIn = (replies: readonly unknown[], stateRoot: Hex): SentProof[] =>
  (replies as SentProof[]).filter(
    (reply) =>
      isObject(reply) &&
      Array.isArray(reply.accountProof) &&
      keccak256(reply.accountProof[0] ?? "0x") === stateRoot,
  );

/** The recorded proofs of accounts in a state. */
export const proofsIn = (replies: readonly unknown[], stateRoot: Hex): Proof[] =>
  sentIn(replies, stateRoot).map(meant);

/** A proof of an account and slots in a state, put together from all that are recorded. */
function proofOf(
  replies: readonly unknown[],
  address: string,
  slots: readonly Hex[],
  stateRoot: Hex,
): SentProof | undefined {
  const proofs = sentIn(replies, stateRoot).filter(
    (proof) => proof.address.toLowerCase() === address.toLowerCase(),
  );
  const [first] = proofs;
  if (!first) return undefined;
  const all = proofs.flatMap(({ storageProof }) => storageProof ?? []);
  const storageProof = slots.map((slot) => all.find(({ key }) => BigInt(key) === BigInt(slot)));
  const found = storageProof.filter((proof) => proof !== undefined);
  // For an account that does not exist, a node may list no slot.
  if (found.length === slots.length) return { ...first, storageProof: found };
  return isAbsent(first) ? { ...first, storageProof: [] } : undefined;
}

function isAbsent(sent: SentProof): boolean {
  const { balance, nonce, codeHash, storageHash } = meant(sent);
  const [code, storage] = [codeHash === EMPTY_CODE, storageHash === EMPTY_TRIE];
  return balance === "0x0" && nonce === "0x0" && code && storage;
}

/** The recorded code with a hash. */
const codeOf = (replies: readonly unknown[], codeHash: Hex): unknown =>
  codeHash === EMPTY_CODE
    ? "0x"
    : replies.find(
        (reply) =>
          typeof reply === "string" &&
          /^0x([0-9a-f]{2})+$/i.test(reply) &&
          keccak256(reply) === codeHash,
      );

/** Replies of light-client data as bytes, or as JSON. */
const replyOf = <T>(json: boolean, version: string, type: Type<T>, value: T) =>
  json ? { version, data: type.toJson(value) } : type.serialize(value);

function beaconOf({ parent, child }: Pair, { bootstrap, updates }: Walk): Served["beacon"] {
  const types = typesOf(parent.fork);
  const optimistic = optimisticUpdate(parent, child);
  const finality = finalityOf(updates) ?? {
    fork: parent.fork,
    value: withoutFinality(parent.fork, optimistic),
  };
  return (path, json) => {
    const [name = "", query] = path.replace("/eth/v1/beacon/light_client/", "").split("?");
    if (name === `bootstrap/${bootstrap.root}`) {
      const { fork, value } = bootstrap;
      return replyOf(json, fork, typesOf(fork).LightClientBootstrap, value);
    }
    if (name === "finality_update") {
      const { fork, value } = finality;
      return replyOf(json, fork, typesOf(fork).LightClientFinalityUpdate, value);
    }
    if (name === "optimistic_update") {
      return replyOf(json, parent.fork, types.LightClientOptimisticUpdate, optimistic as never);
    }
    if (name !== "updates") return undefined;
    const asked = new URLSearchParams(query);
    const first = Number(asked.get("start_period"));
    const found = Array.from({ length: Number(asked.get("count")) }, (_, index) =>
      updates.get(first + index),
    ).filter((update) => update !== undefined);
    // Of those recorded in JSON, the fork's digest is not known.
    const inJson = json || found.some(({ digest }) => !digest);
    const replies = found.map(({ fork, value, digest }) => ({
      digest,
      reply: replyOf(inJson, fork, typesOf(fork).LightClientUpdate, value),
    }));
    if (inJson) return replies.map(({ reply }) => reply);
    return Buffer.concat(
      replies.flatMap(({ digest = new Uint8Array(), reply }) => {
        const bytes = reply as Uint8Array;
        const length = Buffer.alloc(8);
        length.writeBigUInt64LE(BigInt(4 + bytes.length));
        return [length, digest, bytes];
      }),
    );
  };
}

/** The newest update, which shows finality. */
const finalityOf = (updates: Map<number, Update>): Update | undefined =>
  [...updates].sort(([one], [other]) => other - one)[0]?.[1];

/** What the head's committee signed, without finality: the encoding is zeros then. */
const withoutFinality = (fork: string, optimistic: object): Update["value"] => ({
  ...ssz[fork as "deneb"].LightClientFinalityUpdate.defaultValue(),
  ...(optimistic as Update["value"]),
});
