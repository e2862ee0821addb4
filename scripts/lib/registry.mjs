// The reasons of refusals, in the language that cannot read Rust.

import { readFileSync } from "node:fs";

import { inside } from "./paths.mjs";

const PATH = "packages/prooflight/src/registry.ts";

/** The registry of `crates/core/src/error.rs`, as `npm run vectors` writes it. */
const read = () =>
  JSON.parse(readFileSync(inside("test-vectors", "schema", "reasons.json"), "utf8"));

/** The file that follows from the registry and holds something else, with what it must hold; else nothing. */
export function outdatedRegistry(registry = read()) {
  const text = typescript(registry);
  return readFileSync(inside(PATH), "utf8") === text ? [] : [[PATH, text]];
}

function typescript({ version, maxProofBytes, codes, reasons }) {
  const union = (names) => names.map((name) => `  | "${name}"`).join("\n");
  const meaning = (text) => JSON.stringify(text);
  return `// Generated from crates/core/src/error.rs by \`npm run vectors\`.

/** The version of this package and of its WebAssembly. */
export const VERSION = "${version}";

/** The default limit on the size of a proof, in bytes. */
export const MAX_PROOF_BYTES = ${maxProofBytes};

/**
 * The kind of a refusal.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
 */
export type Code =
${union(codes)};

/**
 * The exact cause of a refusal; each reason belongs to one code.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
 */
export type Reason =
${union(reasons.map(({ reason }) => reason))};

/**
 * The code and the meaning of every reason.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
 */
export const REASONS: Readonly<Record<Reason, { readonly code: Code; readonly meaning: string }>> = {
${reasons.map((row) => `  ${row.reason}: { code: "${row.code}", meaning: ${meaning(row.meaning)} },`).join("\n")}
};
`;
}
