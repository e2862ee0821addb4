import assert from "node:assert/strict";
import { test } from "node:test";

import { cargoTests, lacking, nodeTests, pythonTests, vitestTests } from "./counts.mjs";

test("cargo's counts are added up over its test programs", () => {
  const output = [
    "running 2 tests",
    "test result: \x1b[32mok\x1b[0m. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    "test result: ok. 40 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.2s",
  ].join("\n");
  assert.equal(cargoTests(output), "42 tests, 1 skipped");
});

test("vitest's counts are added up over its projects and runs", () => {
  const output = [
    " Test Files  3 passed (3)",
    "      Tests  17 passed (17)",
    "\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m5 passed\x1b[39m\x1b[22m | 2 skipped\x1b[90m (7)\x1b[39m",
  ].join("\n");
  assert.equal(vitestTests(output), "22 tests, 2 skipped");
});

test("node's counts are read in both of its reports", () => {
  assert.equal(nodeTests("# tests 3\n# pass 3\n# fail 0\n# skipped 0\n"), "3 tests");
  assert.equal(nodeTests("ℹ tests 4\nℹ pass 3\nℹ skipped 1\n"), "3 tests, 1 skipped");
});

test("Python's count is read", () => {
  assert.equal(pythonTests("....\nRan 4 tests in 0.001s\n\nOK\n"), "4 tests");
});

test("what tests lack is found once, and not in the names of tests", () => {
  const output = [
    "\x1b[90mstdout\x1b[2m | test/a.test.ts",
    "\x1b[22m\x1b[39mone lacks: a question",
    "one lacks: a question",
    "two at slot 5 is pinned, not verified: no committee",
    " ↓ one lacks: a question",
    " ✓ nothing is lacking",
    "geth is lacking: set it",
  ].join("\n");
  assert.deepEqual(lacking(output), [
    "one lacks: a question",
    "two at slot 5 is pinned, not verified: no committee",
    "geth is lacking: set it",
  ]);
});

test("a run without tests is a failure", () => {
  for (const count of [cargoTests, vitestTests, nodeTests, pythonTests]) {
    assert.throws(() => count("nothing to do"), /No test ran/);
  }
  assert.throws(() => cargoTests("test result: ok. 0 passed; 0 failed; 0 ignored"), /No test ran/);
});
