// Measures the time of a call, although browsers coarsen their clocks to as much as a millisecond.

const BATCHES = 10;
const BATCH_MILLISECONDS = 5;

/** The result of a call, and the time it took. */
export interface Timed<T> {
  result: T;
  microseconds: number;
}

/**
 * Repeats the call in batches, each a few ticks of the clock long. The time is the mean of the fastest
 * batch: during the others the engine may still have compiled, or something else may have run.
 */
export function timed<T>(call: () => T): Timed<T> {
  const result = call();
  const means = Array.from({ length: BATCHES }, () => meanMilliseconds(call));
  return { result, microseconds: Math.min(...means) * 1000 };
}

function meanMilliseconds(call: () => unknown): number {
  const start = performance.now();
  for (let calls = 1; ; calls++) {
    call();
    const elapsed = performance.now() - start;
    if (elapsed >= BATCH_MILLISECONDS) return elapsed / calls;
  }
}
