// Single-script bundles of esbuild: for a page, a classic service worker and a serverless function.

import assert from "node:assert/strict";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";

import { assertOutcome } from "./outcome.mjs";
import { compileCheck } from "./project.mjs";
import { withServer } from "./server.mjs";
import { importTool } from "./tools.mjs";

/** Bundles and opens the page, with and without the binary inlined; runs the function in a folder without its modules. */
export async function esbuild(path, open, { sh, output }) {
  const { build } = await importTool("esbuild");
  compileCheck(path);
  const bundle = (entry, options) =>
    build({
      absWorkingDir: path,
      entryPoints: [entry],
      outdir: "dist",
      bundle: true,
      logLevel: "error",
      ...options,
    });
  for (const entry of ["page.js", "service-worker.js"]) await bundle(entry, { format: "iife" });
  const logOverride = { "empty-import-meta": "silent" };
  await bundle("without.js", { format: "iife", logOverride });
  await withServer(path, {}, async (url) => {
    const { page, serviceWorker } = await open(`${url}/index.html`);
    assertOutcome(page);
    assertOutcome(serviceWorker);
    const { message, ...refusal } = await open(`${url}/without.html`);
    assert.deepEqual(refusal, { code: "unavailable", reason: "wasm_unavailable" });
    assert.match(message, /prooflight\/inline/);
  });

  await bundle("function.js", { format: "cjs", platform: "node", outExtension: { ".js": ".cjs" } });
  const elsewhere = join(path, "..", "function");
  mkdirSync(elsewhere);
  renameSync(join(path, "dist", "function.cjs"), join(elsewhere, "function.cjs"));
  const before = output().length;
  await sh("node", ["function.cjs", join(path, "public", "inputs.json")], { cwd: elsewhere });
  assertOutcome(JSON.parse(output().slice(before)));
}
