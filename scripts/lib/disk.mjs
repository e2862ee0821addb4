// How much room the disk has.

import { statfsSync } from "node:fs";

import { root } from "./paths.mjs";
import { say, yellow } from "./terminal.mjs";

const GIGABYTE = 1e9;

/** Says so where less is free than a run from nothing writes: what fails later names no cause. */
export function warnIfFull(gigabytes) {
  const { bavail, bsize } = statfsSync(root);
  const free = (bavail * bsize) / GIGABYTE;
  if (free >= gigabytes) return;
  const found = `${free.toFixed(1)} GB are free on the disk of ${root}`;
  say(yellow(`${found}; a run from nothing writes about ${gigabytes} GB.`));
}
