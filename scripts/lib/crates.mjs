// Which crates are which.

import { readSchemes } from "./schemes.mjs";

const schemes = readSchemes().filter(({ binary }) => binary !== null);

/** The folders in `crates` of the verifiers that the test vectors run. */
export const VERIFIER_FOLDERS = ["core", "amt", ...schemes.map(({ name }) => name), "light"];

/** What is published, and must also compile for machines without an operating system. */
export const VERIFIERS = [...VERIFIER_FOLDERS, "beacon", "ethereum"].map(
  (name) => `prooflight-${name}`,
);

/** The options of cargo that choose `names`. */
export const packagesOf = (names) => names.flatMap((name) => ["--package", name]);
