// A script in Node: as an ES module, from CommonJS, and the command.

import assert from "node:assert/strict";

import { assertOutcome } from "./outcome.mjs";

/** Runs the project's scripts. */
export async function node(path, { sh, output }) {
  for (const script of ["main.js", "main.cjs"]) {
    const before = output().length;
    await sh("node", [script], { cwd: path });
    assertOutcome(JSON.parse(output().slice(before)));
  }
  const before = output().length;
  await sh("npx", ["--no", "prooflight", "vectors", "public/ergo_mainnet.json"], { cwd: path });
  assert.match(output().slice(before), /^29 passed, 0 failed$/m);
}
