import { readFileSync, readdirSync } from "node:fs";

import { expect, test } from "vitest";

import { ethereumSamples } from "../scripts/ethereum.js";
import { samples } from "../scripts/samples.mjs";
import { BLOCKS } from "../src/samples.js";
import { block } from "./vectors.js";

test("the blocks are those of the test vectors, with their origin and licence", () => {
  const files = samples();
  for (const { url, text } of files) expect(readFileSync(url, "utf8")).toBe(text);
  const names = readdirSync(new URL("../public/blocks/", import.meta.url));
  expect(names.sort()).toEqual(files.map(({ url }) => url.pathname.split("/").pop()).sort());
  for (const { text } of files) expect(text).toMatch(/"origin": "\S.*"license": "\S/s);
});

test("the page offers each of them, with its number of operations", () => {
  expect(BLOCKS.map(({ height }) => `${height}.json`).sort()).toEqual(
    readdirSync(new URL("../public/blocks/", import.meta.url)).sort(),
  );
  for (const { height, operations } of BLOCKS) {
    expect(block(height).input.ops).toHaveLength(operations);
  }
});

test("the answers about Ethereum are the recorded ones, with their origin and licence", async () => {
  const files = await ethereumSamples();
  const folder = new URL("../public/ethereum/", import.meta.url);
  const found = readdirSync(folder, { recursive: true }).map(String);
  expect(found.filter((name) => name.includes(".")).sort()).toEqual([...files.keys()].sort());
  for (const [name, contents] of files) {
    expect(readFileSync(new URL(name, folder)).equals(Buffer.from(contents)), name).toBe(true);
  }
  for (const name of ["receipt", "call"]) {
    const about: unknown = JSON.parse(String(files.get(`${name}/about.json`)));
    expect(about).toMatchObject({ license: "MIT" });
  }
});
