// A script in Node: as an ES module, from CommonJS, and the command.

import assert from "node:assert/strict";

import { inside } from "../../../scripts/lib/paths.mjs";
import { compileCheck } from "./project.mjs";
import { assertOutcome, ETHEREUM } from "./outcome.mjs";

/** Runs the project's scripts. */
export async function node(path, { sh, output }) {
  compileCheck(path);
  compileCheck(path, undefined, "ethereum");
  for (const script of ["main.js", "main.cjs"]) {
    const before = output().length;
    await sh("node", [script], { cwd: path });
    assertOutcome(JSON.parse(output().slice(before)), { ethereum: ETHEREUM });
  }
  const before = output().length;
  const vectors = inside("test-vectors", "avl", "ergo_mainnet.json");
  await sh("npx", ["--no", "prooflight", "vectors", vectors], { cwd: path });
  assert.match(output().slice(before), /^29 passed, 0 failed$/m);
}
