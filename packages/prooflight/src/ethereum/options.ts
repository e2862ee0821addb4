import { abortSignal, Arguments, invalid, milliseconds, optionalFunction } from "../arguments.js";
import { type Bytes, type Hex, toHex } from "../bytes.js";
import { describe, refuse } from "../error.js";
import { type BytesLike, bytesLike } from "../mpt/bytes.js";
import {
  readServerOptions,
  readTimeout,
  SERVER_OPTIONS,
  type ServerSettings,
} from "../transport/options.js";
import type { Failure } from "../transport/servers.js";
import { type BlobParams, CHAINS } from "./chains.js";
import { type ExecutionRules, knownRules, rulesOfForks } from "./execution/rules.js";
import {
  type Network,
  type NetworkConfig,
  type NetworkName,
  readNetwork,
  type TimedFork,
} from "./network.js";

/**
 * Options of {@link EthereumClient.connect}. Times are in milliseconds.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/follow-ethereum.md | Follow Ethereum}
 */
export interface EthereumOptions {
  /** The network: a known one, or its parameters. */
  network: NetworkName | NetworkConfig;
  /**
   * The root of a finalized beacon block, 32 bytes, from a source that the application trusts. One of `checkpoint`
   * and `state` is needed.
   */
  checkpoint?: BytesLike | undefined;
  /** The result of `EthereumClient.export`. It is trusted: keep it where only the application can write. */
  state?: Uint8Array | undefined;
  /** URLs of beacon nodes, http or https, in the order in which they are tried. */
  beacon: readonly (string | URL)[];
  /** URLs of execution nodes, http or https, in the order in which they are tried. */
  execution: readonly (string | URL)[];
  /**
   * The greatest age of the checkpoint, or of the state's finalized block. Default two weeks: validators of an older
   * block may have withdrawn their stake and could sign another history.
   */
  maxCheckpointAge?: number | undefined;
  /** The greatest age of the newest head. Default: any age; servers can then withhold new heads unnoticed. */
  maxHeadAge?: number | undefined;
  /** The most that a head's time may be ahead of the clock. Default 30,000. */
  maxClockSkew?: number | undefined;
  /** The time for which a head counts as the newest, without asking again. Default 12,000. */
  refresh?: number | undefined;
  /** The time limit of a call to a server. Default 10,000. */
  timeout?: number | undefined;
  /**
   * The time limit of an execution node for the state that a contract call reads, in all rounds of requests together.
   * Then the next node is asked. Default 30,000.
   */
  callTimeout?: number | undefined;
  /** The most bytes of a reply. Default 40 MiB; less if an honest answer must be shorter. */
  maxReplyBytes?: number | undefined;
  /** The most bytes of all replies to one question about logs. Default 32 MiB. */
  maxLogBytes?: number | undefined;
  /**
   * With `union`, the logs of a range are those that any execution node names, each proven. They are complete only if
   * one of the nodes is honest, and every node must answer. Default `complete`, which trusts no node.
   */
  logs?: "complete" | "union" | undefined;
  /** Called as a question about logs proceeds; not with `logs: "union"`. */
  onLogsProgress?: ((progress: LogsProgress) => void) | undefined;
  /** The id of the chain, which calls need. Default: the network's, if it has a name. */
  chainId?: bigint | number | undefined;
  /**
   * The parameters of blobs, ascending by time. Default: the network's, if it has a name; else what depends on them is
   * left out or refused.
   */
  blobs?: readonly BlobParams[] | undefined;
  /** The most blocks to walk back, by their parents, from a head to an older block. Default 256. */
  maxWalk?: number | undefined;
  /** Called with every failure or lie of a server, even if another server answers. */
  onFailure?: ((failure: Failure) => void) | undefined;
  /** Sends requests. Default: the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Returns the time, in milliseconds since 1970. Default: the system's clock. */
  now?: (() => bigint) | undefined;
  /** Aborts the first synchronisation. */
  signal?: AbortSignal | undefined;
}

/** Options that do not concern the beacon chain, with their defaults filled in. */
export interface CommonSettings extends ServerSettings, LogsSettings {
  execution: readonly unknown[];
  maxWalk: bigint;
  /** The time limit of a server for the state of a call. */
  callTimeout: number;
  /** By which rules blocks are executed; undefined if that is not known. */
  rules: ExecutionRules | undefined;
}

/** Options with their defaults filled in. Ages are in seconds, other times in milliseconds. */
export interface EthereumSettings extends CommonSettings {
  network: Network;
  checkpoint: Bytes | undefined;
  state: Bytes | undefined;
  beacon: readonly unknown[];
  maxCheckpointAge: bigint | undefined;
  maxHeadAge: bigint | undefined;
  maxClockSkew: bigint;
  refresh: bigint;
}

/** A block in a question: a tag, a number, or a hash. `safe` is the finalized block. */
export type BlockName = "latest" | "safe" | "finalized" | bigint | Hex;

const MIB = 1024 * 1024;

/** The options that do not concern the beacon chain. */
export const COMMON_OPTIONS = [
  ...SERVER_OPTIONS,
  "execution",
  "callTimeout",
  "maxLogBytes",
  "logs",
  "onLogsProgress",
  "maxWalk",
  "chainId",
  "blobs",
] as const;

/** The options about the beacon chain. */
export const BEACON_OPTIONS = [
  "network",
  "checkpoint",
  "state",
  "beacon",
  "maxCheckpointAge",
  "maxHeadAge",
  "maxClockSkew",
  "refresh",
] as const;

/** Checks the options of a client; throws `invalid_argument`. */
export function readOptions(options: EthereumOptions): EthereumSettings {
  return readSettings(new Arguments(undefined, options, [...COMMON_OPTIONS, ...BEACON_OPTIONS]));
}

/** Checks the options; throws `invalid_argument`. */
export function readSettings(
  given: Arguments<(typeof COMMON_OPTIONS)[number] | (typeof BEACON_OPTIONS)[number]>,
): EthereumSettings {
  const checkpoint = given.unchecked("checkpoint");
  const state = given.optionalBytes("state")?.slice();
  if ((checkpoint === undefined) === (state === undefined)) {
    const found = state ? "both" : "neither";
    throw refuse("invalid_argument", "one of checkpoint and state", found);
  }
  const time = (name: "maxCheckpointAge" | "maxHeadAge" | "maxClockSkew" | "refresh") =>
    milliseconds(given.unchecked(name), name);
  const seconds = (name: "maxCheckpointAge" | "maxHeadAge") => {
    const value = time(name);
    return value === undefined ? undefined : BigInt(Math.floor(value / 1000));
  };
  const network = readNetwork(given.unchecked("network"));
  const known = typeof network.forks === "string" ? network.forks : undefined;
  const chainId = readChainId(given, known);
  return {
    ...readCommon(given),
    rules: rulesOf(network.forks, chainId, readBlobs(given, known)),
    network,
    checkpoint:
      checkpoint === undefined ? undefined : bytesLike(checkpoint, "checkpoint", 32).slice(),
    state,
    beacon: urls(given.list("beacon"), "beacon"),
    maxCheckpointAge: seconds("maxCheckpointAge"),
    maxHeadAge: seconds("maxHeadAge"),
    maxClockSkew: BigInt(time("maxClockSkew") ?? 30_000),
    refresh: BigInt(time("refresh") ?? 12_000),
  };
}

/** Checks the options that do not concern the beacon chain; throws `invalid_argument`. */
export function readCommon(
  given: Arguments<(typeof COMMON_OPTIONS)[number]>,
): Omit<CommonSettings, "rules"> {
  return {
    ...readServerOptions(given),
    execution: urls(given.list("execution"), "execution"),
    callTimeout: readTimeout(given.unchecked("callTimeout"), "callTimeout", 30_000),
    maxLogBytes: given.optionalU32("maxLogBytes") ?? 32 * MIB,
    logs: given.optionalChoice("logs", ["complete", "union"]) ?? "complete",
    onLogsProgress: optionalFunction(
      given.unchecked("onLogsProgress"),
      "onLogsProgress",
    ) as CommonSettings["onLogsProgress"],
    maxWalk: BigInt(given.optionalU32("maxWalk") ?? 256),
  };
}

function rulesOf(
  forks: NetworkName | readonly TimedFork[],
  chainId: bigint | undefined,
  blobs: readonly BlobParams[],
): ExecutionRules | undefined {
  if (typeof forks === "string") return knownRules(forks);
  return chainId === undefined ? undefined : rulesOfForks(chainId, forks, blobs);
}

/** The id of the chain: the network's if it has a name, otherwise the option, which may be missing. */
export function readChainId(
  own: Arguments<"chainId">,
  network: NetworkName | undefined,
): bigint | undefined {
  const given = own.unchecked("chainId");
  const known = network && CHAINS[network].chainId;
  if (given === undefined) return known;
  const isNumber = typeof given === "number" && Number.isSafeInteger(given);
  const id = isNumber || typeof given === "bigint" ? BigInt(given) : undefined;
  if (id === undefined || id < 1n || id >= 1n << 64n) {
    throw invalid(undefined, "chainId", "a positive integer of 64 bits", describe(given));
  }
  if (known === undefined || id === known) return id;
  throw invalid(undefined, "chainId", `${known}, as the network's`, describe(given));
}

/** The parameters of blobs: the option, otherwise the network's if it has a name. */
export function readBlobs(
  own: Arguments<"blobs">,
  network: NetworkName | undefined,
): readonly BlobParams[] {
  if (own.unchecked("blobs") === undefined) return network ? CHAINS[network].blobs : [];
  let before = -1n;
  return own.list("blobs").map((entry, index) => {
    const path = `blobs[${index}]`;
    const names = ["timestamp", "target", "max", "updateFraction", "hasReserve"] as const;
    const given = new Arguments(undefined, entry, names, path);
    const params = {
      timestamp: given.u64("timestamp"),
      target: given.u64("target"),
      max: given.u64("max"),
      updateFraction: given.u64("updateFraction"),
      hasReserve: given.optionalBoolean("hasReserve") ?? false,
    };
    if (params.timestamp <= before) {
      throw invalid(undefined, path, "later than the entry before", `${params.timestamp}`);
    }
    before = params.timestamp;
    return params;
  });
}

/** Copies URLs, which `Servers` checks; only shards, of which Ethereum has none, are refused here. */
function urls(list: readonly unknown[], name: string): readonly string[] {
  return list.map((url) => {
    if (typeof url === "string" || url instanceof URL) return String(url);
    throw invalid(undefined, name, "URLs", describe(url));
  });
}

/** Options of questions about the state after a block. */
export interface AtOptions {
  /** The block whose state is asked for. Default `latest`. */
  at?: BlockName | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/** A block; `latest` if it is undefined. */
export function blockName(given: unknown, name: string): BlockName {
  if (given === undefined) return "latest";
  if (given === "latest" || given === "safe" || given === "finalized") return given;
  if (typeof given === "bigint" && given >= 0n && given < 1n << 64n) return given;
  if (typeof given === "string" && given.startsWith("0x")) return hashOf(given, name);
  throw invalid(undefined, name, "latest, safe, finalized, a number or a hash", describe(given));
}

/** The members of {@link AtOptions}. */
export function readAtOptions(given: Arguments<keyof AtOptions>): {
  at: BlockName;
  signal?: AbortSignal;
} {
  const signal = abortSignal(given.unchecked("signal"));
  return { at: blockName(given.unchecked("at"), "at"), ...(signal && { signal }) };
}

/** 32 bytes in lower case. */
export const hashOf = (given: unknown, name: string): Hex =>
  toHex(bytesLike(given, name, 32)) as Hex;

/** The progress of a question about logs. If a server fails, the next server starts from the beginning. */
export interface LogsProgress {
  /** The number of blocks of the range. */
  blocks: bigint;
  /** The number of verified headers of these blocks. */
  headers: number;
  /** The number of blocks whose receipts are needed; undefined until all headers are verified. */
  needed: number | undefined;
  /** The number of these blocks whose receipts have arrived. */
  receipts: number;
  /** The bytes of all replies. */
  bytes: number;
}

/** The settings of questions about logs. */
export interface LogsSettings {
  maxLogBytes: number;
  logs: "complete" | "union";
  onLogsProgress: ((progress: LogsProgress) => void) | undefined;
}
