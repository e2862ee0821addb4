import assert from "node:assert/strict";
import { test } from "node:test";

import { outdatedRegistry } from "./registry.mjs";

test("the registry of TypeScript is current; if not: npm run vectors", () => {
  assert.deepEqual(outdatedRegistry(), []);
});

test("another registry is another file", () => {
  const reasons = [{ reason: "made", code: "internal", meaning: 'a "made" one' }];
  const registry = { version: "9.9.9", maxProofBytes: 7, codes: ["internal"], reasons };
  const [[, text]] = outdatedRegistry(registry);
  for (const part of ['VERSION = "9.9.9"', "MAX_PROOF_BYTES = 7", 'made: { code: "internal"']) {
    assert.ok(text.includes(part), part);
  }
});
