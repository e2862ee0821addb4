// Medians and the like.

/** The value below which a share of the values lies. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** The median. */
export const median = (values) => quantile(values, 0.5);

/** The sum. */
export const sum = (values) => values.reduce((a, b) => a + b, 0);

/** A number with three digits, or all digits before the point. */
export const round = (value) =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
