// How long a call takes, although browsers coarsen their clocks to as much as a millisecond.

const BATCHES = 10;
const BATCH_MILLISECONDS = 5;

/** The result of a call, and how long it took. */
export interface Timed<T> {
  result: T;
  microseconds: number;
}

/**
 * Calls until a batch of calls is a few ticks of the clock long, a few times over. The time is the
 * mean of the fastest batch: in the others the engine still compiled, or something else ran.
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
