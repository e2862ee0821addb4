import assert from "node:assert/strict";
import { test } from "node:test";

import { whatMatters } from "./failure.mjs";

test("a failure is shown without what went well", () => {
  const output = [
    "   Compiling cfg-if v1.0.5",
    "\x1b[1m\x1b[32m   Compiling\x1b[0m libc v0.2.191",
    "error: linking with `cc` failed: exit status: 1",
    "    Finished `test` profile in 1.2s",
    "     Running tests/keys.rs (target/debug/deps/keys-1)",
    "running 2 tests",
    "test one ... ok",
    "test two ... FAILED",
    "",
    "test result: FAILED. 1 passed; 1 failed; 0 ignored",
    "test result: ok. 3 passed; 0 failed; 0 ignored",
    " ✓ |node| test/error.test.ts (9 tests) 15ms",
    " FAIL  |node| test/text.test.ts",
  ].join("\n");
  assert.deepEqual(whatMatters(output).split("\n"), [
    "error: linking with `cc` failed: exit status: 1",
    "test two ... FAILED",
    "test result: FAILED. 1 passed; 1 failed; 0 ignored",
    " FAIL  |node| test/text.test.ts",
  ]);
});

test("of a long failure the end is shown, and how much came before", () => {
  const lines = Array.from({ length: 1_000 }, (_, i) => `line ${i}`);
  const shown = whatMatters(lines.join("\n")).split("\n");
  assert.equal(shown[0], "(600 lines before these)");
  assert.equal(shown[1], "line 600");
  assert.equal(shown.at(-1), "line 999");
});
