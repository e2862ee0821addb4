// A single build of the vector runner that contains every fault.

import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative, sep } from "node:path";

import { VERIFIER_FOLDERS } from "../crates.mjs";
import { cache, inside } from "../paths.mjs";
import { Problem, task } from "../task.mjs";

/** The tool is always that of this repository, never that of `tree`. */
const TOOL = inside("crates", "testing", "mutants");

/**
 * Copies the crates of `tree` to the cache, plants every fault that compiles, and builds the runner, unless
 * that is already done.
 */
export async function build(tree) {
  for (const name of ["Cargo.toml", "test-vectors", "crates/core", "crates/testing/vectors"]) {
    if (!existsSync(join(tree, name))) throw new Problem(`${tree} has no ${name}.`);
  }
  const names = needed(tree);
  const scratch = join(cache, "mutants", digest(tree).slice(0, 12));
  const crates = names.map((name) => join(tree, folderOf(name)));
  const sources = hashOf(tree, [join(tree, "Cargo.toml"), join(tree, "Cargo.lock"), ...crates]);
  const key = digest(`${sources} ${hashOf(TOOL, [TOOL])}`);
  const runner = join(scratch, "runner");
  const listing = join(scratch, "mutants.json");
  const mark = join(scratch, "built");
  const done = existsSync(mark) && readFileSync(mark, "utf8") === key;
  if (!done) {
    const target = join(cache, "mutants", "target");
    await task(`plant faults in the verifiers of ${tree}`, async ({ sh }) => {
      rmSync(scratch, { recursive: true, force: true });
      copy(tree, scratch, names);
      await sh("cargo", ["build", "--quiet", "--locked", "--package", "prooflight-mutants"]);
      const env = { CARGO_TARGET_DIR: target };
      await sh(inside("target", "debug", "plant"), [tree, scratch, ...VERIFIER_FOLDERS], {
        env,
        limit: 2 * 3600_000,
      });
      copyFileSync(join(target, "release", "prooflight-mutants-runner"), runner);
      writeFileSync(mark, key);
    });
  }
  const vectors = join(tree, "test-vectors");
  const { mutants, lines } = JSON.parse(readFileSync(listing, "utf8"));
  const folder = join(cache, "mutants");
  return {
    runner,
    vectors,
    mutants,
    lines,
    folder,
    key: digest(`${key} ${hashOf(vectors, [vectors])}`),
  };
}

/** The verifiers of a tree, the vector runner, and all crates of the tree that these depend on. */
export function needed(tree) {
  const has = (name) => existsSync(join(tree, folderOf(name), "Cargo.toml"));
  const names = new Set([...VERIFIER_FOLDERS, "vectors"].filter(has));
  for (const name of names) {
    const manifest = readFileSync(join(tree, folderOf(name), "Cargo.toml"), "utf8");
    for (const [, other] of manifest.matchAll(/^prooflight-([\w-]+)[ .=]/gm)) {
      if (has(other)) names.add(other);
    }
  }
  return [...names];
}

/** The folder of a crate. */
const folderOf = (name) => (TESTING.has(name) ? `crates/testing/${name}` : `crates/${name}`);

/** The crates of `crates/testing` that the runner needs. */
const TESTING = new Set(["vectors", "testkit", "mutants"]);

/** Writes these crates as a separate workspace. */
function copy(tree, scratch, names) {
  for (const name of names) {
    cpSync(join(tree, folderOf(name)), join(scratch, folderOf(name)), { recursive: true });
  }
  for (const name of ["runner", "switch"]) {
    cpSync(join(TOOL, name), join(scratch, folderOf("mutants"), name), { recursive: true });
  }
  for (const name of ["Cargo.lock", "rust-toolchain.toml"]) {
    copyFileSync(join(tree, name), join(scratch, name));
  }
  writeFileSync(
    join(scratch, "Cargo.toml"),
    workspace(readFileSync(join(tree, "Cargo.toml"), "utf8"), names),
  );
  for (const name of VERIFIER_FOLDERS.filter((name) => names.includes(name))) {
    const path = join(scratch, "crates", name, "Cargo.toml");
    writeFileSync(path, withSwitch(readFileSync(path, "utf8")));
  }
}

/** The workspace's Cargo.toml with only the members that are copied, and a profile for many short runs. */
export function workspace(text, names) {
  const tools = ["runner", "switch"].map((name) => `${folderOf("mutants")}/${name}`);
  const list = [...names.map(folderOf), ...tools].map((path) => `"${path}"`).join(", ");
  return `${text
    .replace(/^members = \[[^\]]*\]$/m, `members = [${list}]`)
    .replace(/^exclude = .*\n/m, "")
    .replace(/^(#.*\n)*\[profile\.(.*\n)*/m, "")}[profile.release]\nopt-level = 3\n`;
}

/** A crate's Cargo.toml with the switch among its dependencies. */
export function withSwitch(text) {
  const line = 'prooflight-mutants-switch = { path = "../testing/mutants/switch" }';
  return text.replace(/^\[dependencies\]$/m, `[dependencies]\n${line}`);
}

const digest = (text) => createHash("sha256").update(text).digest("hex");

/** Folders that do not affect the outcome. */
const SKIPPED = new Set(["tests", "examples", "benches", "python", "schema", "state-roots"]);

/** One hash of the names and contents of all files below `paths`, as seen from `folder`. */
function hashOf(folder, paths) {
  const hash = createHash("sha256");
  const visit = (path) => {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) {
        if (!SKIPPED.has(name)) visit(join(path, name));
      }
      return;
    }
    const content = readFileSync(path);
    hash.update(`${relative(folder, path).split(sep).join("/")}\0${content.length}\0`);
    hash.update(content);
  };
  paths.forEach(visit);
  return hash.digest("hex");
}
