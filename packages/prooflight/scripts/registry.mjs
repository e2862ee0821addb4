// The source of src/registry.ts, from what the wasm itself says.

import { readFileSync } from "node:fs";

import { format } from "prettier";

/** The text that src/registry.ts must have by the binaries in `folder`, a URL. */
export async function registrySource(folder) {
  const { version, codes, reasons, maxProofBytes } = await ask(folder);
  const union = (names) => names.map((name) => `| "${name}"`).join("\n");
  const entries = reasons.map(
    ({ reason, code, meaning }) =>
      `${reason}: { code: "${code}", meaning: ${JSON.stringify(meaning)} },`,
  );
  const source = `
    // Generated from the Rust enums by \`npm run generate -w packages/prooflight\`.

    /** The version of this package and of its WebAssembly. */
    export const VERSION = "${version}";

    /** The largest proof that is read unless the caller says otherwise, in bytes. */
    export const MAX_PROOF_BYTES = ${maxProofBytes};

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

async function ask(folder) {
  const name = "prooflight_hash_bg.js";
  const glue = await import(new URL(name, folder));
  const bytes = readFileSync(new URL("prooflight-hash.wasm", folder));
  const { instance } = await WebAssembly.instantiate(bytes, { [`./${name}`]: glue });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return { version: glue.version(), ...glue.registry() };
}
