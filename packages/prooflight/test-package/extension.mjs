// A browser extension (manifest version 3), whose pages run WebAssembly only if its policy allows it.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { withExtension } from "./chromium.mjs";
import { assertOutcome } from "./outcome.mjs";
import { compileCheck, resolveImports } from "./project.mjs";

const POLICY = "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'";

/** Opens the extension's page with the policy that allows WebAssembly, and without. */
export async function extension(path) {
  compileCheck(path);
  resolveImports(path);

  assertOutcome(await openUnder(POLICY));

  const { message, ...refusal } = await openUnder(POLICY.replace(" 'wasm-unsafe-eval'", ""));
  assert.deepEqual(refusal, { code: "unavailable", reason: "wasm_unavailable" });
  assert.match(message, /Content Security Policy.*'wasm-unsafe-eval' in its script-src/);
  assert.doesNotMatch(message, /prooflight\/inline/, "which would not help");

  async function openUnder(policy) {
    writeFileSync(join(path, "manifest.json"), manifest(policy));
    return withExtension(path, (open) => open("index.html"));
  }
}

const manifest = (policy) =>
  JSON.stringify({
    manifest_version: 3,
    name: "Prooflight",
    version: "1",
    content_security_policy: { extension_pages: policy },
  });
