// What the crates of the workspace depend on, outside of their tests.

import { spawnSync } from "node:child_process";

import { root } from "../paths.mjs";

/** The crates of the workspace: whether each is published, what it needs, and what its tests need in addition. */
export function crates() {
  const options = ["metadata", "--no-deps", "--offline", "--locked", "--format-version", "1"];
  const { status, stdout, stderr } = spawnSync("cargo", options, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`cargo metadata: ${stderr}`);
  return JSON.parse(stdout).packages.map(({ name, publish, dependencies }) => ({
    name,
    // No registries at all: `publish = false`.
    published: publish === null,
    needs: dependencies.filter(({ kind }) => kind !== "dev").map(({ name }) => name),
    testsNeed: dependencies.filter(({ kind }) => kind === "dev").map(({ name }) => name),
  }));
}
