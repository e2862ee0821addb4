import { Arguments } from "../arguments.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";
import { type HistoryInput, RANGE, writeHistory } from "./history.js";

/** The timestamp of a block, from its header, which the caller trusts. */
export interface BlockTime {
  height: bigint;
  /** Milliseconds since 1970. */
  timestampMs: bigint;
}

/** The input of {@link smtTwap}. */
export interface TwapInput extends HistoryInput {
  /** The times of `start`, of `end`, and of every block between that changed the key; ascending. */
  timestamps: readonly BlockTime[];
  /** The block at whose time the average begins. */
  start: bigint;
  /** The block at whose time the average ends. */
  end: bigint;
}

/** A time-weighted average, exact as the fraction `sum / coveredMs`. */
export interface Average {
  /** The average, rounded down; undefined if the key never had a value in this time. */
  average: bigint | undefined;
  /** The sum of each value times the milliseconds for which the key had it. */
  sum: bigint;
  /** The milliseconds in which the key had a value; if 0, there is no average. */
  coveredMs: bigint;
  /** The times without a value, which are left out. */
  gaps: Gap[];
}

/** A time without a value, in milliseconds since 1970. */
export interface Gap {
  fromMs: bigint;
  toMs: bigint;
}

/**
 * Verifies a history and averages the key's values over the time from one block to another, each weighted
 * by how long the key had it.
 *
 * Values are unsigned integers of 1 to 32 bytes, big-endian; others are `invalid_input` / `value_not_number`. Throws
 * like {@link verifySmtHistory}; `invalid_input` / `invalid_argument` if a timestamp is missing or the blocks are
 * outside the history's range.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/smt.md#7-averages | The specification, smt 7}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/ask-about-the-past.md | Ask about the past}
 *
 * @example
 * ```ts
 * import { init, smtTwap } from "prooflight/smt";
 *
 * await init();
 * const range = { key, from: 10n, to: 90n, proof };
 * const trusted = { roots, timestamps }; // from headers that you have checked
 * const { average, gaps } = smtTwap({ ...range, ...trusted, start: 10n, end: 90n });
 * console.log("average:", average, "times without a value:", gaps.length);
 * ```
 */
export function smtTwap(input: TwapInput): Average {
  const given = new Arguments("smt", input, [...RANGE, "roots", "timestamps", "start", "end"]);
  const request = new Writer(1024);
  const proof = writeHistory(request, given);
  const times = given.list("timestamps");
  request.u32(times.length);
  times.forEach((item, index) => {
    const time = new Arguments("smt", item, ["height", "timestampMs"], `timestamps[${index}]`);
    request.u64(time.u64("height"));
    request.u64(time.u64("timestampMs"));
  });
  request.u64(given.u64("start"));
  request.u64(given.u64("end"));
  const packed = request.finish();
  return readAverage(new Reader(hash.call("smt", (wasm) => wasm.smtTwap(packed, proof))));
}

/** Reads an `Average`. */
export function readAverage(response: Reader): Average {
  const sum = response.uint(40);
  const coveredMs = response.u64();
  return {
    average: coveredMs === 0n ? undefined : sum / coveredMs,
    sum,
    coveredMs,
    gaps: response.sequence(() => ({ fromMs: response.u64(), toMs: response.u64() })),
  };
}
