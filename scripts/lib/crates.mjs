// Which crates are which.

/** What is published, and must also compile for machines without an operating system. */
export const VERIFIERS = ["core", "avl", "amt", "lvmt", "smt", "mpt", "light", "beacon", "ethereum"].map(
  (name) => `prooflight-${name}`,
);

/** The options of cargo that choose `names`. */
export const packagesOf = (names) => names.flatMap((name) => ["--package", name]);
