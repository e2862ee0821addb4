// An application that webpack builds, which finds the binary by `new URL(…, import.meta.url)`.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { BINARIES } from "../scripts/binaries.mjs";
import { assertOutcome } from "./outcome.mjs";
import { compileCheck } from "./project.mjs";
import { withServer } from "./server.mjs";
import { importTool } from "./tools.mjs";

/** Builds the project for development and for production, with webpack's defaults, and opens both. */
export async function webpack(path, open) {
  compileCheck(path);
  for (const mode of ["development", "production"]) {
    await build({ mode, context: path, output: { path: join(path, "dist"), clean: true } });
    assert.equal(binaries("dist").length, BINARIES.length, "each binary is an asset, once");
    await withServer(path, {}, async (url) => assertOutcome(await open(`${url}/index.html`)));

    const output = { path: join(path, "dist-hash"), clean: true };
    await build({ mode, context: path, entry: "./src/hash-only.js", output });
    assert.equal(binaries("dist-hash").length, 1, "without LVMT there is no code for pairings");
  }

  function binaries(folder) {
    return readdirSync(join(path, folder)).filter((name) => name.endsWith(".wasm"));
  }
}

/** Builds the project; a warning is also a failure. */
async function build(options) {
  const { default: bundler } = await importTool("webpack");
  // Size hints are off: the binary has its own budget, in compressed bytes.
  const compiler = bundler({ entry: "./src/main.js", performance: false, ...options });
  const stats = await new Promise((resolve, reject) => {
    compiler.run((error, stats) => (error ? reject(error) : resolve(stats)));
  });
  await new Promise((resolve) => compiler.close(resolve));
  const said = stats.toString({ all: false, errors: true, warnings: true });
  assert.equal(said, "", "webpack prints no warnings");
}
