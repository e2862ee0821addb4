// Samples of contenders that take turns.

/** The median, and the bounds of the middle half. */
export function quartiles(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const [low, median, high] = [1, 2, 3].map(
    (quarters) => sorted[Math.floor(((sorted.length - 1) * quarters) / 4)],
  );
  return { low, median, high };
}

/** The milliseconds of the processor that each call takes in each round. */
export function measure(calls, rounds, warm = Math.ceil(rounds / 3)) {
  const samples = calls.map(() => []);
  // The first rounds run code that V8 has not optimised yet.
  for (let round = 0; round < warm + rounds; round++) {
    calls.forEach((call, index) => {
      const start = process.cpuUsage();
      call();
      const { user, system } = process.cpuUsage(start);
      if (round >= warm) samples[index].push((user + system) / 1000);
    });
  }
  return samples;
}

export const inMilliseconds = ({ low, median, high }) =>
  `${median.toFixed(2)} ms (${low.toFixed(2)}-${high.toFixed(2)})`;
