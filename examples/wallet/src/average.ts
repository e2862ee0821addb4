// Formats exact averages: rounded, and as a fraction of cents.

import type { Average } from "prooflight";

import { showAmount } from "./account.js";

/** The average in cents with four more digits, rounded half up; undefined if there was never an amount. */
export function roundedAverage({ sum, coveredMs }: Average): string | undefined {
  if (coveredMs === 0n) return undefined;
  const digits = (sum * 20_000n + coveredMs) / (2n * coveredMs);
  return `${showAmount(digits / 10_000n)}${String(digits % 10_000n).padStart(4, "0")}`;
}

/** The average as a fraction of cents in lowest terms. */
export function exactAverage({ sum, coveredMs }: Average): { over: bigint; under: bigint } {
  const divisor = greatestDivisor(sum, coveredMs);
  return { over: sum / divisor, under: coveredMs / divisor };
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? 1n : a;
}
