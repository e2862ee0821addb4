import { fileURLToPath } from "node:url";

import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

import { answersInNode } from "./test/chromium/answers.js";

const here = fileURLToPath(new URL(".", import.meta.url));

// The tests import from src, where their types are; what runs is dist, which is what users get.
const alias = [{ find: /^(\.\.\/)+src\//, replacement: `${here}dist/` }];

export default defineConfig({
  // The test vectors are outside of the package.
  server: { fs: { allow: ["../.."] } },
  test: {
    projects: [
      {
        extends: true,
        resolve: { alias },
        test: {
          name: "node",
          environment: "node",
          include: ["test/*.test.ts", "test/node/*.test.ts"],
        },
      },
      {
        extends: true,
        resolve: { alias },
        test: {
          name: "chromium",
          include: ["test/*.test.ts", "test/chromium/*.test.ts"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: "chromium" }],
            commands: { answersInNode },
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
