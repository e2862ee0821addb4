import assert from "node:assert/strict";
import { test } from "node:test";

import { filesOf, outdated, readSchemes } from "./schemes.mjs";

test("what is generated from the table of schemes is current; if not: npm run vectors", () => {
  const paths = outdated(readSchemes()).map(([path]) => path);
  assert.deepEqual(paths, []);
});

test("an additional row changes every generated file", () => {
  const made = {
    name: "made",
    id: 7,
    rootLength: 32,
    abilities: ["keys"],
    binary: "hash",
    parameters: false,
  };
  const schemes = [...readSchemes(), made];
  const paths = outdated(schemes).map(([path]) => path);
  assert.deepEqual(paths, [
    "packages/prooflight/src/schemes.ts",
    "test-vectors/python/prooflight_vectors/schemes.py",
    "test-vectors/schema/vectors_v1.json",
    "crates/node/openrpc.json",
  ]);
  for (const [path, text] of filesOf(schemes)) assert.match(text, /"made"/, path);
});
