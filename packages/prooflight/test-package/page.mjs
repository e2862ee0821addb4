// A page without any build, under the strictest policy that lets WebAssembly run.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";

import { compileCheck } from "./project.mjs";
import { assertOutcome } from "./outcome.mjs";

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self'",
  "worker-src 'self'",
].join("; ");

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** Opens the project's page: it verifies on the page, in a worker and in a service worker. */
export async function page(path, open) {
  compileCheck(path);
  await resolveImports(join(path, "check.js"));
  const server = createServer((request, response) => void answer(path, request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const found = await open(`http://127.0.0.1:${server.address().port}/index.html`);
    assert.deepEqual(Object.keys(found), ["evalRefused", "page", "worker", "serviceWorker"]);
    assert.equal(found.evalRefused, true, "the policy is in force");
    assertOutcome(found.page);
    assertOutcome(found.worker);
    assertOutcome(found.serviceWorker);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Writes paths for the names of modules: the policy forbids the import map that would. */
async function resolveImports(file) {
  const source = await readFile(file, "utf8");
  const dist = "./node_modules/prooflight/dist";
  await writeFile(
    file,
    source.replace(/"prooflight(?:\/(\w+))?"/g, (_, module = "index") => `"${dist}/${module}.js"`),
  );
}

async function answer(path, { url }, response) {
  const { pathname } = new URL(url, "http://localhost");
  const type = TYPES[extname(pathname)];
  try {
    const body = await readFile(join(path, pathname));
    response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}
