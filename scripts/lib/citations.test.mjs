// Sources cite files and sections of the specification that exist.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { citationsIn, sources } from "./citations.mjs";

const FOLDERS = [
  "bindings",
  "crates",
  "examples",
  "packages/prooflight/src",
  "packages/prooflight/test",
  "test-vectors/python",
];

test("citations of the specification lead to its sections", () => {
  let number = 0;
  const wrong = sources(FOLDERS).flatMap((path) => {
    const found = citationsIn(readFileSync(path, "utf8"));
    number += found.number;
    return found.wrong.map((citation) => `${path}: ${citation}`);
  });
  assert.deepEqual(wrong, []);
  assert.ok(number > 100, `${number} citations`);
});

for (const [text, number, ...wrong] of [
  ["`test-vectors/spec/avl.md`, section 7.", 1],
  ["// `test-vectors/spec/chain.md`,\n// sections 5, 7 and 8", 1],
  ["(amt 4 and 5), and vectors 13)", 2],
  ["spec/gone.md", 1, "spec/gone.md"],
  ["`spec/avl.md`, section 70", 1, "spec/avl.md`, section 70"],
  ["/** spec/smt.md, sections 7\n * and 70. */", 1, "spec/smt.md, sections 7 and 70"],
  ["avl 99.", 1, "avl 99"],
  ["SPEC.md, section 13.5", 0, "SPEC.md, section 13"],
]) {
  test(`citations in ${JSON.stringify(text)}`, () => {
    assert.deepEqual(citationsIn(text), { number, wrong });
  });
}
