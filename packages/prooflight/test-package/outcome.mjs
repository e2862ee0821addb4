import assert from "node:assert/strict";

/** Fails unless a project verified what was recorded and refused each forgery for the right reason. */
export function assertOutcome(outcome) {
  assert.deepEqual(outcome, {
    // The state root of Ergo mainnet block 1795968.
    avl: [
      "0x6d701b1082d4a3c6ac13514c676e1ccacf669a8d480216f10369bed1c2abce371a",
      "mismatch / state_root_mismatch",
    ],
    // An account of Ethereum's mainnet in block 21925176.
    mpt: ["10593965569117523386 wei", "mismatch / account_mismatch"],
    // A value at level 1 of LVMT's test vectors, and the proof of it for another key.
    lvmt: ["0x6174206c6576656c2031 since block 1", "mismatch / root_mismatch"],
    // A flipped bit of a signature leaves too few that count.
    chain: ["height 2", "untrusted / too_few_signatures"],
    provider: ["0x9305538e4df80dba"],
  });
}
