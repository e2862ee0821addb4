// The recorded transactions that can be picked.

import type { Hex } from "prooflight/ethereum";

/** A transaction that can be picked. */
export interface Sample {
  name: string;
  what: string;
  hash: Hex;
}

export const SAMPLES: readonly Sample[] = [
  {
    name: "A payment in USDT",
    what: "1 log",
    hash: "0xe1ae7f067008ee2dc9c7120146b3821b2d2fd3e392d685d85154c0fdeb94477b",
  },
  {
    name: "A swap for ether",
    what: "6 logs",
    hash: "0x5ae9384f2c72a5c4f74de9ce43d63577c6c9919bdb73bfc84546391d78c28f8e",
  },
  {
    name: "A plain payment",
    what: "no log",
    hash: "0x11bf3099c609185398249a56841cf1e5f925a51c40272908bd3233154208b165",
  },
];
