import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./", // works in any folder of any host
  build: {
    target: "es2022",
    rolldownOptions: { input: ["index.html", "ethereum.html"] },
    assetsInlineLimit: 0, // the page's policy allows no data: addresses
  },
  test: { testTimeout: 120_000, hookTimeout: 120_000 },
});
