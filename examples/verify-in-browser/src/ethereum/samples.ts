// The recorded answers that can be picked: receipts of transactions, and a call.

import type { Hex } from "prooflight/ethereum";

/** A receipt or a call that can be picked. */
export type Sample = { name: string; what: string } & (
  { recording: "receipt"; hash: Hex } | { recording: "call" }
);

export const SAMPLES: readonly Sample[] = [
  {
    name: "A payment in USDT",
    what: "a receipt with 1 log",
    recording: "receipt",
    hash: "0xe1ae7f067008ee2dc9c7120146b3821b2d2fd3e392d685d85154c0fdeb94477b",
  },
  {
    name: "A swap for ether",
    what: "a receipt with 6 logs",
    recording: "receipt",
    hash: "0x5ae9384f2c72a5c4f74de9ce43d63577c6c9919bdb73bfc84546391d78c28f8e",
  },
  {
    name: "A plain payment",
    what: "a receipt without logs",
    recording: "receipt",
    hash: "0x11bf3099c609185398249a56841cf1e5f925a51c40272908bd3233154208b165",
  },
  {
    name: "A balance of USDC",
    what: "a contract call, executed here",
    recording: "call",
  },
];
