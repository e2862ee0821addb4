// Small pieces of the page: those of every page, times and addresses.

import { number } from "../../../page/dom.js";

export * from "../../../page/dom.js";

/** Milliseconds to two digits; browsers coarsen their clocks. */
export const time = (milliseconds: number): string =>
  milliseconds < 0.1
    ? "less than 0.1 ms"
    : `${milliseconds.toLocaleString("en", { maximumSignificantDigits: 2 })} ms`;

/** A length of time in its two largest units: `2 min 5 s`. */
export function duration(milliseconds: bigint): string {
  const seconds = milliseconds / 1000n;
  if (seconds === 0n) return `${milliseconds} ms`;
  if (seconds < 60n) return `${(Number(milliseconds) / 1000).toFixed(1)} s`;
  if (seconds < 3600n) return `${seconds / 60n} min ${seconds % 60n} s`;
  return `${number(seconds / 3600n)} h ${(seconds / 60n) % 60n} min`;
}

/** How long ago something was, in the largest unit that is not too coarse. */
export function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min ago`;
  return `${number(Math.round(seconds / 3600))} h ago`;
}

/** A server's address without the parts that all addresses share. */
export const place = (url: string | URL): string =>
  new URL(url).href.replace(/^https?:\/\//, "").replace(/\/$/, "");
