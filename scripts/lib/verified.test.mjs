// Only verifiers make a `Verified`: Rust cannot restrict a constructor to certain crates.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { VERIFIERS } from "./crates.mjs";
import { inside } from "./paths.mjs";

const CALL = /::\s*by_verifier\b/;
const FOLDERS = VERIFIERS.map((name) => `crates/${name.replace("prooflight-", "")}/src/`);

/** Code that makes proofs, or only reads files. */
const NO_VERIFIER = /\/(prover|snapshot)\//;

test("only verifiers make verified values", () => {
  const files = execFileSync("git", ["ls-files", "-z", "*.rs"], {
    cwd: inside("."),
    encoding: "utf8",
  })
    .split("\0")
    .filter((path) => path !== "" && CALL.test(readFileSync(inside(path), "utf8")));
  assert.notDeepEqual(files, []);
  const others = files.filter(
    (path) => NO_VERIFIER.test(path) || !FOLDERS.some((folder) => path.startsWith(folder)),
  );
  assert.deepEqual(others, []);
});
