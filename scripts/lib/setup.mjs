// Installs what a script needs and the machine does not have yet.

import { chromium } from "./chromium.mjs";
import { packages } from "./npm.mjs";
import { require as requirePrograms } from "./prerequisites.mjs";
import { cargoTool, toolchain } from "./rust.mjs";
import { task } from "./task.mjs";

const NEEDS = {
  npm: packages,
  rust: toolchain,
  "wasm-bindgen": cargoTool("wasm-bindgen"),
  "wasm-pack": cargoTool("wasm-pack"),
  "cargo-deny": cargoTool("cargo-deny"),
  "cargo-fuzz": cargoTool("cargo-fuzz"),
  chromium,
};

/** What turns the Rust sources into packages/prooflight. */
export const forBuild = ["npm", "rust", "wasm-bindgen", "wasm-pack"];

/**
 * Makes everything in `names` (keys of `NEEDS`) ready, in that order; silent about what is there.
 *
 * `programs` are prerequisites of the caller itself. Throws a `Problem` naming all that are missing.
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
