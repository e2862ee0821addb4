import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";

import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest test begins first: the others take its time together. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith("every-lie.test.ts");
    return (await super.sort(files)).sort((a, b) => Number(isLongest(b)) - Number(isLongest(a)));
  }
}

export default defineConfig({
  base: "./", // works in any folder of any host
  plugins: [demoFile()],
  // The node of `npm start` serves pages of this origin and of the built page's.
  server: { port: 4175, strictPort: true },
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // the page's policy allows no data: addresses
  },
  // The tests mostly wait: for blocks, and for liars that say nothing.
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
});

/**
 * Serves `/demo.json`: the page's servers, accounts and checkpoint, which `npm start` wrote from the
 * node's data folder. The file is read anew each time, since the chain may have begun anew.
 */
function demoFile(): Plugin {
  const path =
    process.env.PROOFLIGHT_DEMO ??
    fileURLToPath(new URL("../../.cache/demo/demo.json", import.meta.url));

  function serve(_request: IncomingMessage, response: ServerResponse): void {
    response.setHeader("cache-control", "no-store");
    response.setHeader("content-type", "application/json");
    try {
      response.end(readFileSync(path));
    } catch {
      response.statusCode = 404;
      response.end("null");
    }
  }

  return {
    name: "demo-file",
    configureServer: ({ middlewares }) => void middlewares.use("/demo.json", serve),
    configurePreviewServer: ({ middlewares }) => void middlewares.use("/demo.json", serve),
  };
}
