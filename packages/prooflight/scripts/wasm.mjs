// Compiles bindings/wasm to the binaries and their glue.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { run } from "../../../scripts/lib/command.mjs";
import { inside } from "../../../scripts/lib/paths.mjs";
import { BINARIES } from "./binaries.mjs";

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
    const out = join(work, name);
    const glue = `prooflight_${name}_bg`;
    await wasmPack(out, `prooflight_${name}`, features, optLevel);
    copyFileSync(join(out, `${glue}.wasm`), join(folder, `prooflight-${name}.wasm`));
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

function wasmPack(folder, name, features, optLevel) {
  const home = process.env.CARGO_HOME || join(homedir(), ".cargo");
  return sh("wasm-pack", [
    "--quiet",
    ...["build", inside("bindings", "wasm"), "--release", "--mode", "no-install"],
    ...["--target", "bundler", "--no-pack", "--no-typescript"],
    ...["--out-dir", folder, "--out-name", name],
    ...["--", "--locked", "--no-default-features", "--features", features.join()],
    // Panic messages contain paths of source files; those of dependencies are in the user's home folder.
    ...["--config", `profile.release.opt-level=${JSON.stringify(optLevel)}`],
    "--config",
    `target.wasm32-unknown-unknown.rustflags=["--remap-path-prefix=${home}=cargo"]`,
  ]);
}
