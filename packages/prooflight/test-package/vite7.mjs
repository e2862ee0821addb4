// The development server of Vite 7, which moves modules away from their files unless configured not to.

import assert from "node:assert/strict";

import { assertOutcome } from "./outcome.mjs";
import { importTool } from "./tools.mjs";

/** Opens the project with the inlined binary; then without it, unchanged and with the documented setting. */
export async function vite7(path, open) {
  const { createServer } = await importTool("vite");
  const openPage = async (page, config) => {
    const server = await createServer({
      root: path,
      configFile: false,
      logLevel: "error",
      cacheDir: `.vite-${page}-${Object.keys(config).length}`,
      server: { port: 0 },
      ...config,
    });
    await server.listen();
    try {
      return await open(`${server.resolvedUrls.local[0]}${page}.html`);
    } finally {
      await server.close();
    }
  };
  assertOutcome(await openPage("inline", {}));
  const { message, ...refusal } = await openPage("index", {});
  assert.deepEqual(refusal, { code: "unavailable", reason: "wasm_unavailable" });
  assert.match(message, /prooflight\/inline/);
  assertOutcome(await openPage("index", { optimizeDeps: { exclude: ["prooflight"] } }));
}
