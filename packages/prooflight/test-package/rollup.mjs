// An application that rollup builds with only the plugin that resolves packages, which copies no files.

import assert from "node:assert/strict";

import { assertOutcome } from "./outcome.mjs";
import { compileCheck } from "./project.mjs";
import { withServer } from "./server.mjs";
import { importTool } from "./tools.mjs";

/** Builds and opens the project with the inlined binary, and without. */
export async function rollup(path, open) {
  compileCheck(path);
  const { rollup: bundle } = await importTool("rollup");
  const { nodeResolve } = await importTool("@rollup/plugin-node-resolve");
  for (const name of ["main", "inline"]) {
    const built = await bundle({ input: `${path}/src/${name}.js`, plugins: [nodeResolve()] });
    await built.write({ dir: `${path}/dist`, entryFileNames: "[name].js", format: "es" });
    await built.close();
  }
  await withServer(path, {}, async (url) => {
    assertOutcome(await open(`${url}/inline.html`));
    const { message, ...refusal } = await open(`${url}/index.html`);
    assert.deepEqual(refusal, { code: "unavailable", reason: "wasm_unavailable" });
    assert.match(message, /prooflight\/inline/);
  });
}
