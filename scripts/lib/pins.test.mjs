// Versions that are given in two places agree.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { inside } from "./paths.mjs";
import { cargoTools } from "./versions.mjs";

const read = (path) => readFileSync(inside(path), "utf8");

test("the wasm-bindgen tool is the version of the crate", () => {
  const crate = /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(read("Cargo.lock"))?.[1];
  assert.equal(cargoTools["wasm-bindgen"].version, crate);
});

test("package-lock.json names no registry", () => {
  const { packages } = JSON.parse(read("package-lock.json"));
  const resolved = Object.values(packages).filter((entry) => !entry.link && entry.resolved);
  assert.deepEqual(
    resolved
      .map((entry) => entry.resolved)
      .filter((url) => !url.startsWith("https://registry.npmjs.org/")),
    [],
  );
});

test("every development dependency has one exact version", () => {
  const { devDependencies } = JSON.parse(read("package.json"));
  const loose = Object.entries(devDependencies).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
  );
  assert.deepEqual(loose, []);
});
