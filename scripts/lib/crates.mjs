// Groups of crates.

import { existsSync, readdirSync } from "node:fs";

import { inside } from "./paths.mjs";
import { readSchemes } from "./schemes.mjs";

const schemes = readSchemes().filter(({ binary }) => binary !== null);

/** The folders in `crates` of the verifiers that the test vectors exercise. */
export const VERIFIER_FOLDERS = ["core", "amt", ...schemes.map(({ name }) => name), "light"];

/** The crates that verify, which must also compile for targets without an operating system. */
export const VERIFIERS = [...VERIFIER_FOLDERS, "beacon", "ethereum", "evm"].map(
  (name) => `prooflight-${name}`,
);

/** The published crates: those that stand in `crates` itself. */
export const PUBLISHED = readdirSync(inside("crates"))
  .filter((folder) => existsSync(inside("crates", folder, "Cargo.toml")))
  .map((folder) => `prooflight-${folder}`);

/** The cargo options that select `names`. */
export const packagesOf = (names) => names.flatMap((name) => ["--package", name]);
