// Cloudflare's workerd, as wrangler bundles and runs a Worker.

import { join } from "node:path";

import { assertOutcome } from "./outcome.mjs";
import { importTool } from "./tools.mjs";

/** Starts the project's Worker, which verifies on request. */
export async function workerd(path) {
  process.env.WRANGLER_SEND_METRICS = "false";
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  const { unstable_startWorker: start } = await importTool("wrangler");
  const worker = await start({
    config: join(path, "wrangler.jsonc"),
    dev: { logLevel: "error", watch: false, server: { port: 0 }, inspector: false },
  });
  try {
    const response = await worker.fetch("http://worker.example/");
    assertOutcome(await response.json());
  } finally {
    await worker.dispose();
  }
}
