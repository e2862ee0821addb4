import { fileURLToPath } from "node:url";

import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

import type * as runVectors from "./src/vectors/run.js";

const here = fileURLToPath(new URL(".", import.meta.url));

// The tests import from src, where their types are; what runs is dist, which is what users get.
const alias = [{ find: /^(\.\.\/)+src\//, replacement: `${here}dist/` }];

/** Runs a vector file in Node on behalf of a test in the browser. */
async function runVectorsInNode(_context: unknown, text: string) {
  const run = (await import(`${here}dist/vectors/run.js`)) as typeof runVectors;
  return run.runVectors(text);
}

export default defineConfig({
  // The test vectors are outside of the package.
  server: { fs: { allow: ["../.."] } },
  test: {
    // For slow machines; tests wait for events, not for time.
    testTimeout: 60_000,
    globalSetup: "test/network/setup.ts",
    projects: [
      {
        extends: true,
        resolve: { alias },
        test: {
          name: "node",
          environment: "node",
          // Newer releases have WebSockets without it.
          execArgv: ["--experimental-websocket"],
          include: ["test/*.test.ts", "test/client/*.test.ts", "test/node/*.test.ts"],
        },
      },
      {
        extends: true,
        resolve: { alias },
        test: {
          name: "chromium",
          include: ["test/*.test.ts", "test/client/*.test.ts", "test/chromium/*.test.ts"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: "chromium" }],
            commands: { runVectorsInNode },
            provider: playwright({
              launchOptions: {
                executablePath: process.env["PROOFLIGHT_CHROMIUM"] ?? "/usr/bin/chromium",
                args: [
                  "--no-sandbox",
                  "--disable-gpu",
                  "--disable-quic",
                  "--no-first-run",
                  "--disable-background-networking",
                  "--disable-component-update",
                  "--disable-sync",
                ],
              },
            }),
          },
        },
      },
    ],
  },
});
