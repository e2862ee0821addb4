// Small pieces of the page: those of every page, and times.

export * from "../../page/dom.js";

/** Microseconds, rounded to about three digits: more are noise. */
export const time = (microseconds: number): string =>
  `${microseconds.toLocaleString("en", { maximumSignificantDigits: 3 })} µs`;
