import assert from "node:assert/strict";

/** Fails unless a project verified the block and refused the forgery for the right reason. */
export function assertOutcome(outcome) {
  assert.deepEqual(outcome, {
    // The state root of Ergo mainnet block 1795968.
    digest: "0x6d701b1082d4a3c6ac13514c676e1ccacf669a8d480216f10369bed1c2abce371a",
    refused: "mismatch / state_root_mismatch",
  });
}
