// The walls of the repository: production code depends on no test code, and there are no import cycles.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { VERIFIERS } from "./crates.mjs";
import { filesUnder } from "./fingerprint.mjs";
import { inside } from "./paths.mjs";
import { crates } from "./walls/crates.mjs";
import { byFolder, circle, circles, importsIn, importsOf } from "./walls/imports.mjs";
import { besideFolders, importsAmong, moduleImports } from "./walls/modules.mjs";

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
  const all = moduleImports(inside("crates", "node", "src"), { tests: true });
  const imports = [...all].filter(([path]) => path.includes("/"));
  const rooms = new Set(imports.map(([path]) => folderOf(path)));
  assert.deepEqual([...rooms].sort(), ["cli", ...ROOMS].sort());
  const upward = imports.flatMap(([path, names]) => {
    const own = ROOMS.indexOf(folderOf(path));
    return names
      .filter((name) => ROOMS.indexOf(folderOf(name)) < own)
      .map((name) => `${path}: ${name}`);
  });
  assert.deepEqual(upward, []);
});

/** The crates that hold verifiers and provers, what these share, and the node. */
const LIBRARIES = [
  ...["core", "avl", "amb", "amt", "lmpt", "lvmt", "smt", "mpt"],
  ...["beacon", "ethereum", "light", "json", "embedded", "log", "node"],
];

/** Files that are in a circle, and why. */
const TABLES = new Map([
  [
    "light/schemes/mod.rs",
    "a trait, and the table of its implementations, each in a file of its own",
  ],
]);

test("the imports of Rust files are found in every form of a path", () => {
  const text = `
pub use crate::write::Writer; // crate::comment
use crate::{Chain, files::{self, check::check}, remote};
use super::{near::Near as Other, here};
mod inner;
const TEXT: &str = "crate::text";
fn f() { crate::api::server::run(super::super::chain::x, '"', inner::y, std::mem::swap) }
#[cfg(test)]
mod tests {
    use super::super::tested;
}
`;
  const empty = ["api/mod.rs", "api/server/mod.rs", "chain.rs", "remote.rs", "write.rs"].map(
    (path) => [path, ""],
  );
  const texts = new Map([
    ...empty,
    ["lib.rs", "mod chain; pub use chain::Chain;"],
    ["files/mod.rs", "mod check;"],
    ["files/check.rs", "pub fn check() {}"],
    ["read/mod.rs", "fn here() {} fn lost() {} pub use near::*;"],
    ["read/near.rs", "pub struct Near; pub fn far() {}"],
    ["read/own/mod.rs", text],
    ["read/own/inner.rs", "use crate::read::far; use super::super::lost;"],
    ["read/tested.rs", ""],
  ]);
  const found = importsAmong(texts);
  const expected = [
    "api/server/mod.rs",
    "chain.rs",
    "files/check.rs",
    "files/mod.rs",
    "read/mod.rs",
  ];
  expected.push("read/near.rs", "read/own/inner.rs", "remote.rs");
  assert.deepEqual(found.get("read/own/mod.rs"), expected);
  assert.deepEqual(found.get("read/own/inner.rs"), ["read/mod.rs", "read/near.rs"]);
  assert.deepEqual(found.get("lib.rs"), []);
  const withTests = importsAmong(texts, { tests: true }).get("read/own/mod.rs");
  assert.deepEqual(withTests, [...expected, "read/tested.rs"].sort());
});

test("no file of a library or of the node imports itself through others", () => {
  const found = LIBRARIES.flatMap((name) => {
    const imports = moduleImports(inside("crates", name, "src"));
    const named = [...imports].filter(([path]) => !TABLES.has(`${name}/${path}`));
    return circles(new Map(named)).map((paths) => paths.map((path) => `${name}/${path}`));
  });
  assert.deepEqual(found, []);
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
  assert.deepEqual(circles(imports), [["a/one.ts", "b/three.ts", "b/two.ts"]]);
});
