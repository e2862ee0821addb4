// Free disk space.

import { statfsSync } from "node:fs";

import { root } from "./paths.mjs";
import { say, yellow } from "./terminal.mjs";

const GIGABYTE = 1e9;

/** Warns if a full run may not fit on the disk: later failures would not name the cause. */
export function warnIfTooLittle(gigabytes) {
  const free = freeGigabytes();
  if (free >= gigabytes) return;
  const found = `Only ${free.toFixed(1)} GB are free on the disk of ${root}`;
  say(yellow(`${found}; a first run writes about ${gigabytes} GB.`));
}

/** Warns if the disk is full: that is why programs fail then, whatever they say. */
export function warnIfFull() {
  if (freeGigabytes() < 0.5) say(yellow(`The disk of ${root} is full.`));
}

function freeGigabytes() {
  const { bavail, bsize } = statfsSync(root);
  return (bavail * bsize) / GIGABYTE;
}
