import { Arguments, type FromJson, milliseconds } from "../arguments.js";
import type { Checkpoint } from "../chain/checkpoint.js";
import type { SetupTrust } from "../chain/state.js";
import type { Freshness } from "../chain/sync.js";
import {
  MAX_TIMER_MS,
  readServerOptions,
  SERVER_OPTIONS,
  type ServerSettings,
} from "../transport/options.js";
import type { Shard } from "../transport/server-list.js";
import type { Failure } from "../transport/servers.js";

/**
 * Options of {@link LightClient.connect}. Times are in milliseconds.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/follow-a-chain.md | Follow a chain}
 */
export interface Options extends SetupTrust {
  /**
   * The servers' URLs, http or https, in the order in which they are tried. Redirects are not followed. A server
   * that proves only a part of LVMT's keys is listed with its shard.
   */
  urls: readonly (string | URL | ShardServer)[];
  /** The checkpoint, which must come from a source that the application trusts. */
  checkpoint: FromJson<Checkpoint>;
  /** The time limit of a call to a server. Default 10,000. */
  timeout?: number | undefined;
  /** The greatest age of a head. Default: any age; a server can then withhold new heads unnoticed. */
  maxHeadAge?: number | undefined;
  /** The most that a head's time may be ahead of the clock. Default 30,000. */
  maxClockSkew?: number | undefined;
  /** The interval of polling for heads without a WebSocket, at least 50. Default 1000. */
  pollInterval?: number | undefined;
  /**
   * Whether a WebSocket may announce heads. Default: true in browsers; false in Node, whose WebSocket buffers
   * messages of any length. In Bun and Deno, a server that does not close its side keeps the process alive after
   * {@link LightClient.close}; in Node it does not.
   */
  webSocket?: boolean | undefined;
  /** The most bytes of a reply. Default 40 MiB; less if an honest answer to the question must be shorter. */
  maxReplyBytes?: number | undefined;
  /** Called with every failure or lie of a server, even if another server answers. */
  onFailure?: ((failure: Failure) => void) | undefined;
  /** Sends requests. Default: the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Returns the time, in milliseconds since 1970. Default: the system's clock. */
  now?: (() => bigint) | undefined;
  /** Aborts the first synchronisation. */
  signal?: AbortSignal | undefined;
}

/** A server that proves only a part of LVMT's keys, and all keys of other schemes. */
export interface ShardServer {
  url: string | URL;
  shard: Shard;
}

/** Options with their defaults filled in. */
export interface Settings extends ServerSettings {
  urls: readonly unknown[];
  checkpoint: unknown;
  freshness: Freshness;
  setup: SetupTrust;
  pollInterval: number;
  webSocket: boolean;
}

/** Checks the options; throws `invalid_argument`. */
export function readOptions(options: Options): Settings {
  const given = new Arguments(undefined, options, [
    ...SERVER_OPTIONS,
    "urls",
    "checkpoint",
    "maxHeadAge",
    "maxClockSkew",
    "pollInterval",
    "webSocket",
    "allowInsecureSetup",
    "verifyingKey",
  ]);
  const time = (name: "maxHeadAge" | "maxClockSkew" | "pollInterval") =>
    milliseconds(given.unchecked(name), name);
  const age = (name: "maxHeadAge" | "maxClockSkew") => {
    const value = time(name);
    return value === undefined ? undefined : BigInt(value);
  };
  return {
    ...readServerOptions(given),
    urls: given.list("urls"),
    checkpoint: given.unchecked("checkpoint"),
    freshness: { maxHeadAge: age("maxHeadAge"), maxClockSkew: age("maxClockSkew") },
    setup: {
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      verifyingKey: given.optionalBytes("verifyingKey")?.slice(),
    },
    pollInterval: Math.min(time("pollInterval") ?? 1000, MAX_TIMER_MS),
    webSocket: given.optionalBoolean("webSocket") ?? !isNode(),
  };
}

function isNode(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node !== undefined;
}
