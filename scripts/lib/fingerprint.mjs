// Whether a build is up to date, judged by the contents of the files, never by their times.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

import { cache, inside, root } from "./paths.mjs";

/** Folders that no build reads: built or installed files, tests and tools. */
const SKIPPED = new Set([
  "node_modules",
  "target",
  "dist",
  "pkg",
  "tests",
  "benches",
  "fuzz",
  "bench",
]);

/** The files under `paths` (relative to the repository), sorted. A missing path has no files. */
export function filesUnder(paths, skipped = SKIPPED) {
  const found = [];
  const visit = (path) => {
    if (!statSync(path).isDirectory()) return void found.push(path);
    for (const name of readdirSync(path)) {
      if (!skipped.has(name)) visit(join(path, name));
    }
  };
  paths
    .map((path) => inside(path))
    .filter((path) => existsSync(path))
    .forEach(visit);
  return found.sort();
}

/** A hash of the names and contents of files. */
export function fingerprint(files) {
  const hash = createHash("sha256");
  for (const file of files) {
    const content = readFileSync(file);
    hash
      .update(`${relative(root, file).split(sep).join("/")}\0${content.length}\0`)
      .update(content);
  }
  return hash.digest("hex");
}

/**
 * The record of a build. It is fresh while the inputs and outputs are the same as when it was
 * written: an edited or deleted output makes it stale, like an edited source.
 */
export function record(name, inputs, outputs) {
  const path = join(cache, "built", name);
  const state = () =>
    `${fingerprint(filesUnder(inputs))} ${fingerprint(filesUnder(outputs, new Set()))}\n`;
  return {
    fresh: () =>
      filesUnder(outputs, new Set()).length > 0 &&
      existsSync(path) &&
      readFileSync(path, "utf8") === state(),
    write() {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, state());
    },
  };
}
