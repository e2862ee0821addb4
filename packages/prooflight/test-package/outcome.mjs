import assert from "node:assert/strict";

/** The outcome of a project that verifies the recorded data and refuses each forgery for the right reason. */
export const OUTCOME = {
  // The state root of Ergo mainnet block 1795968.
  avl: [
    "0x6d701b1082d4a3c6ac13514c676e1ccacf669a8d480216f10369bed1c2abce371a",
    "mismatch / state_root_mismatch",
  ],
  // An account of Ethereum's mainnet in block 21925176.
  mpt: ["10593965569117523386 wei", "mismatch / account_mismatch"],
  // A value at level 1 from LVMT's test vectors, and its proof used for another key.
  lvmt: ["0x6174206c6576656c2031 since block 1", "mismatch / root_mismatch"],
  // A flipped bit in a signature leaves too few valid signatures.
  chain: ["height 2", "untrusted / too_few_signatures"],
  provider: ["0x9305538e4df80dba"],
  // 12.50, proved by AVL+ and by LVMT; a changed value; a redirect, which must not be followed.
  client: ["0x31322e3530", "0x31322e3530", "mismatch / root_mismatch", "unavailable / unreachable"],
};

/** The outcome of projects that follow Ethereum, too: the recorded head, and a forged signature and receipt. */
export const ETHEREUM = [
  "slot 11069311",
  "block 21854576",
  "57 receipts",
  "untrusted / invalid_signature",
  "mismatch / root_mismatch",
];

/** Fails unless a project has this outcome, and what else is given. */
export function assertOutcome(outcome, more = {}) {
  assert.deepEqual(outcome, { ...OUTCOME, ...more });
}
