import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { VERSION } from "../../src/registry.js";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");

test("package and wasm have one version", async () => {
  const { version } = JSON.parse(await read("package.json")) as { version: string };
  expect(version).toBe(VERSION);
});
