// npm run build: Rust to WebAssembly and TypeScript to JavaScript, into dist/.

import { chmodSync, copyFileSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { run } from "../../../scripts/lib/command.mjs";
import { inside } from "../../../scripts/lib/paths.mjs";
import { BINARIES } from "./binaries.mjs";
import { reportSizes } from "./sizes.mjs";

const here = inside("packages", "prooflight");
const dist = join(here, "dist");

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "wasm"), { recursive: true });
for (const binary of BINARIES) await buildBinary(binary);
await sh("tsc", ["-p", join(here, "tsconfig.build.json")]);
chmodSync(join(dist, "cli", "main.js"), 0o755);
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(inside(name), join(here, name));
reportSizes(join(dist, "wasm"));

/** Leaves the wasm and wasm-bindgen's glue in dist/wasm; the loader around them is our own. */
async function buildBinary({ name, schemes }) {
  const out = inside("target", "wasm-pack", name);
  const glue = `prooflight_${name}`;
  rmSync(out, { recursive: true, force: true });
  await sh("wasm-pack", [
    "--quiet",
    "build",
    inside("bindings", "wasm"),
    ...["--release", "--mode", "no-install", "--target", "bundler"],
    ...["--no-pack", "--no-typescript", "--out-dir", out, "--out-name", glue],
    ...["--", "--locked", "--no-default-features", "--features", schemes.join()],
    // Panic messages name source files; those of dependencies are in the builder's home.
    ...["--config", `target.wasm32-unknown-unknown.rustflags=["--remap-path-prefix=${cargoHome()}=cargo"]`],
  ]);
  copyFileSync(join(out, `${glue}_bg.js`), join(dist, "wasm", `${glue}_bg.js`));
  copyFileSync(join(out, `${glue}_bg.wasm`), join(dist, "wasm", `prooflight-${name}.wasm`));
  copyFileSync(
    join(here, "src", "wasm", `${glue}_bg.d.ts`),
    join(dist, "wasm", `${glue}_bg.d.ts`),
  );
}

function sh(command, args) {
  // These would replace the flags of .cargo/config.toml, and with them simd128.
  const env = { RUSTFLAGS: undefined, CARGO_ENCODED_RUSTFLAGS: undefined };
  return run(command, args, { env, onData: (text) => process.stdout.write(text) });
}

function cargoHome() {
  return process.env.CARGO_HOME || join(homedir(), ".cargo");
}
