// A page without a build step, under the strictest policy that allows WebAssembly.

import assert from "node:assert/strict";

import { assertOutcome } from "./outcome.mjs";
import { compileCheck, resolveImports } from "./project.mjs";
import { withServer } from "./server.mjs";

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  // The nodes are on other ports.
  "connect-src 'self' http://127.0.0.1:*",
  "worker-src 'self'",
].join("; ");

/** Opens the project's page: it verifies on the page, in a worker and in a service worker. */
export async function page(path, open) {
  compileCheck(path);
  resolveImports(path);
  await withServer(path, { "content-security-policy": POLICY }, async (url) => {
    const found = await open(`${url}/index.html`);
    assert.deepEqual(Object.keys(found), ["evalRefused", "page", "worker", "serviceWorker"]);
    assert.equal(found.evalRefused, true, "the policy is in force");
    assertOutcome(found.page);
    assertOutcome(found.worker);
    assertOutcome(found.serviceWorker);
  });
}
