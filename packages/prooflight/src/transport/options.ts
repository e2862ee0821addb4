/** The options that every client of servers has. */

import {
  abortSignal,
  type Arguments,
  invalid,
  milliseconds,
  optionalFunction,
} from "../arguments.js";
import { describe, refuse } from "../error.js";
import type { Transport } from "./http.js";
import type { Failure } from "./servers.js";

/** The settings that do not depend on the kind of chain. */
export interface ServerSettings {
  transport: Transport;
  onFailure: (failure: Failure) => void;
  now: () => bigint;
  signal: AbortSignal | undefined;
}

const MAX_REPLY_BYTES = 40 * 1024 * 1024;

/** The longest delay of a timer in milliseconds, 24 days. A longer one would fire immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The options of {@link readServerOptions}. */
export const SERVER_OPTIONS = [
  "timeout",
  "maxReplyBytes",
  "onFailure",
  "fetch",
  "now",
  "signal",
] as const;

/** Checks how servers are asked, by clients of any chain; throws `invalid_argument`. */
export function readServerOptions(
  given: Arguments<(typeof SERVER_OPTIONS)[number]>,
): ServerSettings {
  const functionOf = (name: "onFailure" | "now") => optionalFunction(given.unchecked(name), name);
  return {
    transport: readTransport(given),
    onFailure:
      (functionOf("onFailure") as ServerSettings["onFailure"] | undefined) ?? (() => undefined),
    now: clock(functionOf("now") as (() => unknown) | undefined),
    signal: abortSignal(given.unchecked("signal")),
  };
}

/** Checks how requests are sent; throws `invalid_argument`. */
export function readTransport<Name extends string>(
  given: Arguments<Name | "fetch" | "timeout" | "maxReplyBytes">,
): Transport {
  const send = optionalFunction(given.unchecked("fetch"), "fetch") as typeof fetch | undefined;
  return {
    fetch: send ?? platformFetch,
    timeout: readTimeout(given.unchecked("timeout")),
    maxReplyBytes: given.optionalU32("maxReplyBytes") ?? MAX_REPLY_BYTES,
  };
}

/** Checks a time limit in milliseconds, by default that of a call; throws `invalid_argument`, also for 0. */
export function readTimeout(given: unknown, name = "timeout", otherwise = 10_000): number {
  const timeout = milliseconds(given, name) ?? otherwise;
  if (timeout > 0) return Math.min(timeout, MAX_TIMER_MS);
  throw invalid(undefined, name, "at least 1 millisecond", "0");
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

/** The platform's fetch, which jsdom lacks. */
const platformFetch: typeof fetch = async (...to) => {
  const { fetch } = globalThis as { fetch?: typeof globalThis.fetch };
  if (!fetch)
    throw refuse("invalid_argument", "the option fetch, where the platform has none", "nothing");
  return fetch(...to);
};
