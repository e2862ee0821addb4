// Free disk space.

import { statfsSync } from "node:fs";

import { root } from "./paths.mjs";
import { say, yellow } from "./terminal.mjs";

const GIGABYTE = 1e9;

/** Warns if a full run may not fit on the disk: later failures would not name the cause. */
export function warnIfFull(gigabytes) {
  const { bavail, bsize } = statfsSync(root);
  const free = (bavail * bsize) / GIGABYTE;
  if (free >= gigabytes) return;
  const found = `Only ${free.toFixed(1)} GB are free on the disk of ${root}`;
  say(yellow(`${found}; a first run writes about ${gigabytes} GB.`));
}
