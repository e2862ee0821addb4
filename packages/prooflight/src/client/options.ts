import { Arguments, invalid } from "../arguments.js";
import type { Checkpoint } from "../chain/checkpoint.js";
import type { SetupTrust } from "../chain/state.js";
import type { Freshness } from "../chain/sync.js";
import { describe, refuse } from "../error.js";
import type { FromJson } from "../from-json.js";
import type { Transport } from "./http.js";
import type { Failure } from "./servers.js";
import type { Shard } from "./shard.js";

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

/** The settings that do not depend on the kind of chain. */
export interface Asking {
  transport: Transport;
  onFailure: (failure: Failure) => void;
  now: () => bigint;
  signal: AbortSignal | undefined;
}

/** Options with their defaults filled in. */
export interface Settings extends Asking {
  urls: readonly unknown[];
  checkpoint: unknown;
  freshness: Freshness;
  setup: SetupTrust;
  pollInterval: number;
  webSocket: boolean;
}

const MAX_REPLY_BYTES = 40 * 1024 * 1024;

/** The longest delay of a timer, in milliseconds. A longer one would fire immediately. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Checks the options; throws `invalid_argument`. */
export function readOptions(options: Options): Settings {
  const given = new Arguments(undefined, options, [
    ...ASKING,
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
    ...readAsking(given),
    urls: given.list("urls"),
    checkpoint: given.unchecked("checkpoint"),
    freshness: { maxHeadAge: age("maxHeadAge"), maxClockSkew: age("maxClockSkew") },
    setup: {
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      verifyingKey: given.optionalBytes("verifyingKey")?.slice(),
    },
    pollInterval: Math.min(time("pollInterval") ?? 1000, LONGEST_TIMER),
    webSocket: given.optionalBoolean("webSocket") ?? !isNode(),
  };
}

/** The options of {@link readAsking}. */
export const ASKING = ["timeout", "maxReplyBytes", "onFailure", "fetch", "now", "signal"] as const;

/** Checks how servers are asked, by clients of any chain; throws `invalid_argument`. */
export function readAsking(given: Arguments<(typeof ASKING)[number]>): Asking {
  const functionOf = (name: "onFailure" | "fetch" | "now") => called(given.unchecked(name), name);
  const timeout = milliseconds(given.unchecked("timeout"), "timeout");
  return {
    transport: {
      fetch: (functionOf("fetch") as typeof fetch | undefined) ?? platformFetch,
      timeout: Math.min(timeout ?? 10_000, LONGEST_TIMER),
      maxReplyBytes: given.optionalU32("maxReplyBytes") ?? MAX_REPLY_BYTES,
    },
    onFailure: (functionOf("onFailure") as Asking["onFailure"] | undefined) ?? (() => undefined),
    now: clock(functionOf("now") as (() => unknown) | undefined),
    signal: abortSignal(given.unchecked("signal")),
  };
}

/** The platform's clock, or another one whose times are checked. */
function clock(now: (() => unknown) | undefined): () => bigint {
  if (!now) return () => BigInt(Date.now());
  return () => {
    const time = now();
    if (typeof time === "bigint" && time >= 0n && time < 1n << 64n) return time;
    throw invalid(undefined, "now", "a time of 0n to 2^64 - 1", describe(time));
  };
}

/** A whole number of milliseconds, or undefined; throws `invalid_argument` for anything else. */
export function milliseconds(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalid(undefined, name, "a whole number of milliseconds", describe(value));
}

/** An `AbortSignal`, of this realm or another one, or undefined; throws `invalid_argument`. */
export function abortSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined || Object.prototype.toString.call(value) === "[object AbortSignal]") {
    return value as AbortSignal | undefined;
  }
  throw invalid(undefined, "signal", "an AbortSignal", describe(value));
}

/** A function, or undefined; throws `invalid_argument` for anything else. */
export function called(value: unknown, name: string): unknown {
  if (value === undefined || typeof value === "function") return value;
  throw invalid(undefined, name, "a function", describe(value));
}

/** jsdom has none. */
const platformFetch: typeof fetch = async (...to) => {
  const { fetch } = globalThis as { fetch?: typeof globalThis.fetch };
  if (!fetch)
    throw refuse("invalid_argument", "the option fetch, where the platform has none", "nothing");
  return fetch(...to);
};

function isNode(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node !== undefined;
}
