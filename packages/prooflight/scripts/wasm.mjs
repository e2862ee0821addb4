// Compiles bindings/wasm to the binaries and their glue.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { run } from "../../../scripts/lib/command.mjs";
import { inside } from "../../../scripts/lib/paths.mjs";
import { BINARIES, WASM_OPT } from "./binaries.mjs";

/** Calls `body` with a temporary folder. */
export async function inWorkFolder(body) {
  mkdirSync(inside("target"), { recursive: true });
  const work = mkdtempSync(inside("target", "prooflight-"));
  try {
    await body(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Puts every binary with wasm-bindgen's glue into `folder`; the loader is ours. */
export async function buildBinaries(work, folder) {
  for (const { name, features, optLevel = 3 } of BINARIES) {
    const [out, glue] = [join(work, name), `prooflight_${name}_bg`];
    await compile(features, optLevel);
    await sh("wasm-bindgen", [
      ...[COMPILED, "--out-dir", out, "--out-name", `prooflight_${name}`],
      ...["--target", "bundler", "--no-typescript"],
    ]);
    const binary = join(folder, `prooflight-${name}.wasm`);
    await sh("wasm-opt", [join(out, `${glue}.wasm`), "-o", binary, ...WASM_OPT]);
    copyFileSync(join(out, `${glue}.js`), join(folder, `${glue}.js`));
    const types = inside("packages", "prooflight", "src", "wasm", `${glue}.d.ts`);
    copyFileSync(types, join(folder, `${glue}.d.ts`));
  }
}

/** Runs a program and shows its output. */
export function sh(command, args) {
  // These variables would override the flags of .cargo/config.toml, including simd128.
  const env = { RUSTFLAGS: undefined, CARGO_ENCODED_RUSTFLAGS: undefined };
  return run(command, args, { env, onData: (text) => process.stdout.write(text) });
}

/** What cargo makes of bindings/wasm, with the features that it was called with last. */
const COMPILED = inside("target", "wasm32-unknown-unknown", "release", "prooflight_wasm.wasm");

function compile(features, optLevel) {
  const home = process.env.CARGO_HOME || join(homedir(), ".cargo");
  return sh("cargo", [
    ...["build", "--quiet", "--release", "--lib", "--package", "prooflight-wasm", "--locked"],
    ...["--target", "wasm32-unknown-unknown", "--no-default-features"],
    ...["--features", features.join(), "--target-dir", inside("target")],
    ...["--config", `profile.release.opt-level=${JSON.stringify(optLevel)}`],
    // Panic messages contain paths of source files; those of dependencies are in the user's home folder.
    "--config",
    `target.wasm32-unknown-unknown.rustflags=["--remap-path-prefix=${home}=cargo"]`,
  ]);
}
