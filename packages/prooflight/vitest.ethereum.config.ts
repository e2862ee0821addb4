import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The tests of `prooflight/ethereum`, which need recorded data but no node of ours. */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    // geth starts and imports a chain.
    hookTimeout: 120_000,
    include: ["test/ethereum/*.test.ts"],
  },
  // The tests import from src, where their types are; what runs is dist, which is what users get.
  resolve: { alias: [{ find: /^(\.\.\/)+src\//, replacement: `${here}dist/` }] },
});
