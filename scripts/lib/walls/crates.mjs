// The dependencies of the workspace's crates, except those of their tests.

import { spawnSync } from "node:child_process";

import { root } from "../paths.mjs";

/** The crates of the workspace: whether each is published, its dependencies, and those of its tests. */
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
    // An empty list of registries means `publish = false`.
    published: publish === null,
    needs: dependencies.filter(({ kind }) => kind !== "dev").map(({ name }) => name),
    testsNeed: dependencies.filter(({ kind }) => kind === "dev").map(({ name }) => name),
  }));
}
