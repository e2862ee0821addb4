// Versions that are given in two places agree.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { inside } from "./paths.mjs";
import { cargoTools } from "./versions.mjs";

const read = (path) => readFileSync(inside(path), "utf8");

test("the wasm-bindgen tool is the version of the crate", () => {
  const crate = /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(read("Cargo.lock"))?.[1];
  assert.equal(cargoTools["wasm-bindgen"].version, crate);
});

/** The root, and the folders with packages of their own. */
const FOLDERS = execFileSync("git", ["ls-files", "*package-lock.json"], {
  cwd: inside("."),
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .map((path) => dirname(path))
  // A user's project.
  .filter((folder) => !folder.includes("/projects/"));

test("there are packages beside the root's", () => {
  assert.ok(FOLDERS.includes(".") && FOLDERS.includes("docs") && FOLDERS.length > 3);
});

for (const folder of FOLDERS) {
  test(`package-lock.json of ${folder} names no registry`, () => {
    const { packages } = JSON.parse(read(join(folder, "package-lock.json")));
    const resolved = Object.values(packages).filter((entry) => !entry.link && entry.resolved);
    assert.deepEqual(
      resolved.map((entry) => entry.resolved),
      [],
    );
  });

  test(`every dependency of ${folder} has one exact version`, () => {
    const manifest = JSON.parse(read(join(folder, "package.json")));
    const needs = { ...manifest.dependencies, ...manifest.devDependencies };
    const loose = Object.entries(needs).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    assert.deepEqual(loose, []);
  });

  test(`package-lock.json of ${folder} is that of its package.json`, () => {
    const { dependencies, devDependencies } = JSON.parse(read(join(folder, "package.json")));
    const own = JSON.parse(read(join(folder, "package-lock.json"))).packages[""];
    assert.deepEqual(own.dependencies, dependencies);
    assert.deepEqual(own.devDependencies, devDependencies);
  });
}
