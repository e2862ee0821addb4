import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { VERSION } from "../../src/registry.js";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");

test("src/registry.ts says what the Rust enums say; if not: npm run generate", async () => {
  const { registrySource } = (await import(new URL("scripts/registry.mjs", root).href)) as {
    registrySource: (folder: URL) => Promise<string>;
  };
  expect(await read("src/registry.ts")).toBe(await registrySource(new URL("dist/wasm/", root)));
});

test("package and wasm have one version", async () => {
  const { version } = JSON.parse(await read("package.json")) as { version: string };
  expect(version).toBe(VERSION);
});
