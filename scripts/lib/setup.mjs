// Installs the tools that a script needs and the machine does not have yet.

import { chromium } from "./chromium.mjs";
import { goTool } from "./go.mjs";
import { packages, packagesOf } from "./npm.mjs";
import { require as requirePrograms } from "./prerequisites.mjs";
import { cargoTool, toolchain } from "./rust.mjs";
import { versitygw } from "./s3.mjs";
import { task } from "./task.mjs";

const NEEDS = {
  npm: packages,
  "npm for tests": packagesOf("packages/prooflight/test"),
  "npm for documents": packagesOf("docs"),
  "npm for benchmarks": packagesOf("crates/testing/bench"),
  "npm for light clients": packagesOf("crates/testing/bench/ethereum"),
  rust: toolchain,
  "wasm-bindgen": cargoTool("wasm-bindgen"),
  "wasm-pack": cargoTool("wasm-pack"),
  "cargo-deny": cargoTool("cargo-deny"),
  "cargo-fuzz": cargoTool("cargo-fuzz"),
  chromium,
  // The caller may have another.
  geth: goTool("geth", process.env.PROOFLIGHT_GETH),
  versitygw,
};

/** The tools that build packages/prooflight from the Rust sources. */
export const forBuild = ["npm", "rust", "wasm-bindgen", "wasm-pack"];

/**
 * Installs `names` (keys of `NEEDS`) in that order; prints nothing about those that are installed.
 *
 * `programs` are further prerequisites of the caller. Throws a `Problem` that names all missing ones.
 */
export async function prepare(names, programs = []) {
  const needs = names.map((name) => NEEDS[name]);
  requirePrograms([...programs, ...needs.flatMap((need) => need.requires)]);
  for (const need of needs) {
    if (need.ready()) continue;
    await task(need.title, async (shell) => {
      await need.install(shell);
    });
  }
}
