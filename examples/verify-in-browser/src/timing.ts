// How long a call takes, although browsers coarsen their clocks to as much as a millisecond.

/** How long to repeat a call, in milliseconds: many ticks of the coarsest clock. */
const LONG_ENOUGH = 30;

/** The result of a call, and how long it took. */
export interface Timed<T> {
  result: T;
  microseconds: number;
  runs: number;
}

/** The mean time of a call. The first run is not counted: the engine still compiles then. */
export function timed<T>(call: () => T): Timed<T> {
  const result = call();
  const start = performance.now();
  let runs = 0;
  let elapsed = 0;
  while (elapsed < LONG_ENOUGH) {
    call();
    runs += 1;
    elapsed = performance.now() - start;
  }
  return { result, microseconds: (elapsed * 1000) / runs, runs };
}
