// Chances that follow from a seed.

import { createHash } from "node:crypto";

/** Returns a function whose results, from 0 up to 1, follow from the seed and a name. */
export function chances(seed, name) {
  let drawn = 0;
  return () => {
    const hash = createHash("sha256").update(`${seed} ${name} ${drawn}`).digest();
    drawn += 1;
    return hash.readUInt32LE() / 2 ** 32;
  };
}
