// The source of src/registry.ts, from what the wasm itself says.

import { readFileSync } from "node:fs";

import { format } from "prettier";

const dist = new URL("../dist/wasm/", import.meta.url);

/** The text that src/registry.ts must have. Needs the build's wasm. */
export async function registrySource() {
  const { version, codes, reasons, schemes } = await ask();
  const union = (names) => names.map((name) => `| "${name}"`).join("\n");
  const entries = reasons.map(
    ({ reason, code, meaning }) =>
      `${reason}: { code: "${code}", meaning: ${JSON.stringify(meaning)} },`,
  );
  const source = `
    // Generated from the Rust enums by \`npm run generate -w packages/prooflight\`.

    /** The version of this package and of its WebAssembly. */
    export const VERSION = "${version}";

    /** The authenticated stores. */
    export type Scheme = ${union(schemes)};

    /** What kind of refusal an error is. */
    export type Code = ${union(codes)};

    /** Why exactly something was refused; each reason belongs to one code. */
    export type Reason = ${union(reasons.map(({ reason }) => reason))};

    /** The code of every reason, and what it means. */
    export const REASONS: Readonly<Record<Reason, { readonly code: Code; readonly meaning: string }>> = {
      ${entries.join("\n")}
    };
  `;
  return format(source, { parser: "typescript", printWidth: 100 });
}

async function ask() {
  const glue = await import(new URL("prooflight_hash_bg.js", dist));
  const bytes = readFileSync(new URL("prooflight-hash.wasm", dist));
  const imports = { "./prooflight_hash_bg.js": glue };
  const { instance } = await WebAssembly.instantiate(bytes, imports);
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return { version: glue.version(), ...glue.registry() };
}
