// The source of src/registry.ts, generated from the wasm.

import { readFileSync } from "node:fs";

import { format } from "prettier";

/** The text of src/registry.ts for the binaries in `folder`, a URL. */
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

    /** The default limit on the size of a proof, in bytes. */
    export const MAX_PROOF_BYTES = ${maxProofBytes};

    /**
     * The kind of a refusal.
     *
     * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
     */
    export type Code = ${union(codes)};

    /**
     * The exact cause of a refusal; each reason belongs to one code.
     *
     * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
     */
    export type Reason = ${union(reasons.map(({ reason }) => reason))};

    /**
     * The code and the meaning of every reason.
     *
     * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
     */
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
