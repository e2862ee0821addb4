// The walls of the repository: production code depends on no test code, and there are no import cycles.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { VERIFIERS } from "./crates.mjs";
import { filesUnder } from "./fingerprint.mjs";
import { inside } from "./paths.mjs";
import { crates } from "./walls/crates.mjs";
import { byFolder, circle, importsIn, importsOf } from "./walls/imports.mjs";
import { besideFolders } from "./walls/modules.mjs";
import { moduleImports, modulesIn } from "./walls/rooms.mjs";

const sdk = importsOf(inside("packages", "prooflight", "src"));

test("no file of the SDK imports itself through others", () => {
  assert.equal(circle(sdk)?.join(" -> "), undefined);
});

test("no folder of the SDK imports itself through others", () => {
  assert.equal(circle(byFolder(sdk))?.join(" -> "), undefined);
});

/** The folders of the SDK, from the top down; a file outside of any folder is a module for users or a base of all. */
const LAYERS = [
  ["cli"],
  ["vectors"],
  ["provider", "client"],
  ["ethereum", "statement"],
  ["transport", "chain"],
  ["amb", "avl", "lmpt", "lvmt", "mpt"],
  ["smt"],
  ["wasm"],
];

test("the folders of the SDK import only downwards", () => {
  const layerOf = (path) => LAYERS.findIndex((names) => names.includes(path.split("/")[0]));
  const folders = new Set([...sdk.keys()].filter((path) => path.includes("/")).map(folderOf));
  assert.deepEqual([...folders].sort(), LAYERS.flat().sort());
  const upward = [...sdk].flatMap(([path, names]) =>
    names
      .filter((name) => sdk.has(name) && name.includes("/") && path.includes("/"))
      .filter((name) => folderOf(name) !== folderOf(path) && layerOf(name) <= layerOf(path))
      .map((name) => `${path}: ${name}`),
  );
  assert.deepEqual(upward, []);
});

const folderOf = (path) => path.split("/")[0];

test("only the command that runs vectors imports vectors/", () => {
  const importers = [...sdk].filter(([path, names]) => {
    return !path.startsWith("vectors/") && names.some((name) => name.startsWith("vectors/"));
  });
  assert.deepEqual(
    importers.map(([path]) => path),
    ["cli/vectors.ts"],
  );
});

test("the SDK imports nothing but its own files and what Node has", () => {
  const strangers = [...sdk].flatMap(([path, names]) => {
    const allowed = (name) => sdk.has(name) || name.startsWith("node:") || isGlue(name);
    return names.filter((name) => !allowed(name)).map((name) => `${path}: ${name}`);
  });
  assert.deepEqual(strangers, []);
});

/** The output of wasm-bindgen, and the binaries. */
const isGlue = (name) =>
  /^wasm\/(prooflight_\w+_bg\.ts|prooflight-\w+\.(wasm|base64\.ts))$/.test(name);

/** The modules of the node, from the top down. Its commands are above them: they are a program of their own. */
const ROOMS = ["producer", "signing", "api", "replication", "chain", "runtime"];

test("the modules of the node import only downwards", () => {
  const imports = moduleImports(inside("crates", "node", "src"));
  const rooms = new Set([...imports.keys()].map(folderOf));
  assert.deepEqual([...rooms].sort(), ["cli", ...ROOMS].sort());
  const upward = [...imports].flatMap(([path, names]) => {
    const own = ROOMS.indexOf(folderOf(path));
    return names.filter((name) => ROOMS.indexOf(name) < own).map((name) => `${path}: ${name}`);
  });
  assert.deepEqual(upward, []);
});

test("modules are found in every form of a path", () => {
  const text = `
use crate::{Chain, api::{server, rpc}, runtime};
use crate::signing::Signer; // crate::producer
fn f() { crate::replication::run(super::super::chain::x, super::near) }
`;
  const names = new Map([["Chain", "chain"]]);
  const found = ["api", "chain", "replication", "runtime", "signing"];
  assert.deepEqual(modulesIn(text, names, "api/server/mod.rs"), found);
});

test("no published crate depends on an unpublished one", () => {
  const all = crates();
  const unpublished = new Set(all.filter(({ published }) => !published).map(({ name }) => name));
  assert.ok(unpublished.has("prooflight-vectors") && unpublished.has("prooflight-testkit"));
  const broken = all
    .filter(({ published }) => published)
    .flatMap(({ name, needs }) => {
      return needs.filter((need) => unpublished.has(need)).map((need) => `${name}: ${need}`);
    });
  assert.deepEqual(broken, []);
});

test("no verifier knows JSON", () => {
  const verifiers = crates().filter(({ name }) => VERIFIERS.includes(name));
  assert.equal(verifiers.length, VERIFIERS.length);
  const json = ["serde", "serde_json", "prooflight-json"];
  const broken = verifiers.filter(({ needs }) => needs.some((need) => json.includes(need)));
  assert.deepEqual(broken, []);
});

test("no crate includes the source of another by its path", () => {
  const sources = filesUnder(["crates", "bindings"], new Set(["target", "node_modules"]));
  const rust = sources.filter((path) => path.endsWith(".rs"));
  assert.ok(rust.length > 100);
  const including = rust.filter((path) => /#\[path\b/.test(readFileSync(path, "utf8")));
  assert.deepEqual(including, []);
});

test("the file of a module with a folder is mod.rs in it", () => {
  const sources = filesUnder(["crates", "bindings"], new Set(["target", "node_modules"]));
  const rust = sources.filter((path) => path.endsWith(".rs") && path.includes("/src/"));
  assert.ok(rust.length > 100);
  assert.deepEqual(besideFolders(rust), []);
});

test("imports are found in every form", () => {
  const text = `
import { a } from "./a.js";
import type {
  B,
} from "../b.js";
export { c } from "./d/c.js";
import "./side.js";
const late = await import("./late.js");
const text = "not from ";
import { readFile } from "node:fs/promises";
`;
  assert.deepEqual(importsIn("x/y.ts", text), [
    ...["x/a.ts", "b.ts", "x/d/c.ts", "x/side.ts", "x/late.ts"],
    "node:fs/promises",
  ]);
});

test("cycles of files and of folders are found", () => {
  const imports = new Map([
    ["a/one.ts", ["b/two.ts"]],
    ["b/two.ts", []],
    ["b/three.ts", ["a/one.ts"]],
  ]);
  assert.equal(circle(imports), undefined);
  assert.deepEqual(circle(byFolder(imports)), ["a", "b"]);
  imports.set("b/two.ts", ["b/three.ts"]);
  assert.deepEqual(circle(imports), ["a/one.ts", "b/two.ts", "b/three.ts"]);
});
