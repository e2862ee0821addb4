// Real blocks of Ergo's mainnet, verified through the npm package as a user would call it.

import { readFileSync } from "node:fs";

import { inside } from "../paths.mjs";

const BLOCKS = "test-vectors/avl/ergo_mainnet.json";

/** Verifies every block; returns the numbers of blocks and operations, and the time. */
export async function verifyErgoBlocks() {
  // Imported late: the package exists only once it is built.
  const { fromHex } = await import("prooflight");
  const avl = await import("prooflight/avl");
  await avl.init();
  const blocks = read(fromHex);
  blocks.forEach((block) => avl.verifyErgoAdProofs(block)); // compiles the hot paths
  const started = performance.now();
  blocks.forEach((block) => avl.verifyErgoAdProofs(block));
  const milliseconds = performance.now() - started;
  const operations = blocks.reduce((sum, block) => sum + block.operations.length, 0);
  return { blocks: blocks.length, operations, milliseconds };
}

function read(fromHex) {
  const { testGroups } = JSON.parse(readFileSync(inside(BLOCKS), "utf8"));
  const bytes = ({ op, ...members }) => ({ op, ...mapValues(members, fromHex) });
  return testGroups[0].tests.map(({ input: { ops, ...roots } }) => ({
    ...mapValues(roots, fromHex),
    operations: ops.map(bytes),
  }));
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
