// What a new scheme costs: the made-up one of decision 0006.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { inside, root } from "./paths.mjs";

const PATCH = "docs/decisions/0006-made-up-scheme.patch";

/** The crate, and the files with the scheme's name. */
const ITS_OWN = /(^|\/)flat(\/|\.\w+$)/;

function apply(...options) {
  const { status, stdout, stderr } = spawnSync("git", ["apply", ...options, PATCH], {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(
    status,
    0,
    `${PATCH} does not apply; make it again for the tree as it is:\n${stderr}`,
  );
  return stdout;
}

test("a made-up scheme still fits into the tree", () => {
  apply("--check");
});

test("it proves ranges, and takes at most fifteen lines outside of its own files", () => {
  const files = apply("--numstat")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  const own = files.filter(([, , path]) => ITS_OWN.test(path));
  const elsewhere = files.filter(([, , path]) => !ITS_OWN.test(path));
  assert.ok(own.some(([, , path]) => path === "crates/flat/src/state.rs"));
  const patch = readFileSync(inside(PATCH), "utf8");
  assert.match(patch, /^\+ +Flat = .* proves \[Keys Range\],/m);
  // A line that changes is added and deleted: it counts once.
  const lines = elsewhere.map(([added, deleted]) => Math.max(Number(added), Number(deleted)));
  const sum = lines.reduce((one, other) => one + other, 0);
  assert.ok(sum >= 1 && sum <= 15, `${sum} lines`);
});
