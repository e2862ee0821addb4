import { Arguments, invalid } from "../arguments.js";
import type { Bytes, Hex } from "../bytes.js";
import type { Transport } from "../client/http.js";
import { abortSignal, called, LONGEST_TIMER, milliseconds } from "../client/options.js";
import type { Failure } from "../client/servers.js";
import { describe, refuse } from "../error.js";
import { type BytesLike, bytesLike } from "../mpt/bytes.js";
import { encodeNetwork, type NetworkConfig, type NetworkName } from "./network.js";

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
  /** The result of {@link EthereumClient.export}, from storage that nobody else can write to; it is trusted. */
  state?: Uint8Array | undefined;
  /** URLs of beacon nodes, http or https, in the order in which they are tried. */
  beacon: readonly (string | URL)[];
  /** URLs of execution nodes, http or https, in the order in which they are tried. */
  execution: readonly (string | URL)[];
  /**
   * The greatest age of the checkpoint, or of the state's finalized block. Default two weeks: validators of an older
   * one may have withdrawn their stake and could sign another history.
   */
  maxCheckpointAge?: number | undefined;
  /** The greatest age of the newest head. Default: any age; servers can then withhold new heads unnoticed. */
  maxHeadAge?: number | undefined;
  /** The time for which a head counts as the newest, without asking again. Default 12,000. */
  refresh?: number | undefined;
  /** The time limit of a call to a server. Default 10,000. */
  timeout?: number | undefined;
  /** The most bytes of a reply. Default 40 MiB; less if an honest answer must be shorter. */
  maxReplyBytes?: number | undefined;
  /** The most bytes of all replies to one question about logs. Default 32 MiB. */
  maxLogBytes?: number | undefined;
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

/** Options with their defaults filled in. Ages are in seconds. */
export interface Settings {
  network: Bytes;
  checkpoint: Bytes | undefined;
  state: Bytes | undefined;
  beacon: readonly unknown[];
  execution: readonly unknown[];
  maxCheckpointAge: bigint | undefined;
  maxHeadAge: bigint | undefined;
  refresh: bigint;
  transport: Transport;
  maxLogBytes: number;
  maxWalk: bigint;
  onFailure: (failure: Failure) => void;
  now: () => bigint;
  signal: AbortSignal | undefined;
}

/** A block in a question: a tag, a number, or a hash. `safe` is the finalized block. */
export type BlockName = "latest" | "safe" | "finalized" | bigint | Hex;

const MIB = 1024 * 1024;

/** Checks the options; throws `invalid_argument`. */
export function readOptions(options: EthereumOptions): Settings {
  const given = new Arguments(undefined, options, [
    "network",
    "checkpoint",
    "state",
    "beacon",
    "execution",
    "maxCheckpointAge",
    "maxHeadAge",
    "refresh",
    "timeout",
    "maxReplyBytes",
    "maxLogBytes",
    "maxWalk",
    "onFailure",
    "fetch",
    "now",
    "signal",
  ]);
  const checkpoint = given.unchecked("checkpoint");
  const state = given.optionalBytes("state")?.slice();
  if ((checkpoint === undefined) === (state === undefined)) {
    const found = state ? "both" : "neither";
    throw refuse("invalid_argument", "one of checkpoint and state", found);
  }
  const time = (name: "maxCheckpointAge" | "maxHeadAge" | "refresh" | "timeout") =>
    milliseconds(given.unchecked(name), name);
  const seconds = (name: "maxCheckpointAge" | "maxHeadAge") => {
    const value = time(name);
    return value === undefined ? undefined : BigInt(Math.floor(value / 1000));
  };
  return {
    network: encodeNetwork(given.unchecked("network")),
    checkpoint:
      checkpoint === undefined ? undefined : bytesLike(checkpoint, "checkpoint", 32).slice(),
    state,
    beacon: urls(given, "beacon"),
    execution: urls(given, "execution"),
    maxCheckpointAge: seconds("maxCheckpointAge"),
    maxHeadAge: seconds("maxHeadAge"),
    refresh: BigInt(time("refresh") ?? 12_000),
    transport: {
      fetch:
        (called(given.unchecked("fetch"), "fetch") as typeof fetch | undefined) ??
        ((...to) => fetch(...to)),
      timeout: Math.min(time("timeout") ?? 10_000, LONGEST_TIMER),
      maxReplyBytes: given.optionalU32("maxReplyBytes") ?? 40 * MIB,
    },
    maxLogBytes: given.optionalU32("maxLogBytes") ?? 32 * MIB,
    maxWalk: BigInt(given.optionalU32("maxWalk") ?? 256),
    onFailure:
      (called(given.unchecked("onFailure"), "onFailure") as Settings["onFailure"] | undefined) ??
      (() => undefined),
    now:
      (called(given.unchecked("now"), "now") as (() => bigint) | undefined) ??
      (() => BigInt(Date.now())),
    signal: abortSignal(given.unchecked("signal")),
  };
}

/** `Servers` checks the URLs; only shards, of which Ethereum has none, are refused here. */
function urls(given: Arguments<"beacon" | "execution">, name: "beacon" | "execution") {
  const list = given.list(name);
  const other = list.find((url) => typeof url !== "string" && !(url instanceof URL));
  if (other === undefined) return list;
  throw invalid(undefined, name, "URLs", describe(other));
}
