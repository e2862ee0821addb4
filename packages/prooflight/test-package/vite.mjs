// An application that Vite serves in development and builds.

import assert from "node:assert/strict";
import { join } from "node:path";

import { build, createServer, preview } from "vite";

import { inside } from "../../../scripts/lib/paths.mjs";
import { assertOutcome, ETHEREUM } from "./outcome.mjs";

/** Type-checks the project, then opens it from the development server and as built. */
export async function vite(path, open, { sh }) {
  const tsc = inside("node_modules", ".bin", "tsc");
  for (const module of [["nodenext"], ["esnext", "--moduleResolution", "bundler"]]) {
    await sh(tsc, ["-p", path, "--module", ...module]);
  }

  const config = { root: path, configFile: false, logLevel: "warn" };
  const development = await createServer({ ...config, server: { port: 0 } });
  await development.listen();
  await openAndClose(development);

  await build(config);
  await openAndClose(await preview({ ...config, preview: { port: 0 } }));

  const input = join(path, "src", "hash-only.ts");
  const { output } = await build({ ...config, build: { write: false, rollupOptions: { input } } });
  const binaries = output.map(({ fileName }) => fileName).filter((name) => name.endsWith(".wasm"));
  assert.equal(binaries.length, 1, "without LVMT there is no code for pairings");
  assert.match(binaries[0], /prooflight-hash/);

  async function openAndClose(server) {
    try {
      assertOutcome(await open(server.resolvedUrls.local[0]), { ethereum: ETHEREUM });
    } finally {
      await server.close();
    }
  }
}
