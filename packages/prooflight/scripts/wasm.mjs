// Compiles bindings/wasm to the binaries and their glue.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { ask, run } from "../../../scripts/lib/command.mjs";
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
  for (const binary of BINARIES) {
    const { name, optimization } = binary;
    const out = join(work, name);
    const glue = `prooflight_${name}_bg`;
    await wasmPack(out, binary);
    if (optimization) await optimize(join(out, `${glue}.wasm`), optimization);
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

/** Runs wasm-opt with the features of `bindings/wasm/Cargo.toml`. */
async function optimize(file, optimization) {
  const { packages } = JSON.parse(ask("cargo", "metadata", "--no-deps", "--format-version", "1"));
  const { metadata } = packages.find(({ name }) => name === "prooflight-wasm");
  const [, ...features] = metadata["wasm-pack"].profile.release["wasm-opt"];
  await sh("wasm-opt", [...optimization, ...features, file, "-o", file]);
}

function wasmPack(folder, { name, features, optLevel = 3, fast = [], optimization }) {
  const home = process.env.CARGO_HOME || join(homedir(), ".cargo");
  return sh("wasm-pack", [
    "--quiet",
    ...["build", inside("bindings", "wasm"), "--release", "--mode", "no-install"],
    ...["--target", "bundler", "--no-pack", "--no-typescript"],
    ...["--out-dir", folder, "--out-name", `prooflight_${name}`],
    ...(optimization ? ["--no-opt"] : []),
    ...["--", "--locked", "--no-default-features", "--features", features.join()],
    // Panic messages contain paths of source files; those of dependencies are in the user's home folder.
    ...["--config", `profile.release.opt-level=${JSON.stringify(optLevel)}`],
    ...fast.flatMap((crate) => ["--config", `profile.release.package.${crate}.opt-level=3`]),
    "--config",
    `target.wasm32-unknown-unknown.rustflags=["--remap-path-prefix=${home}=cargo"]`,
  ]);
}
