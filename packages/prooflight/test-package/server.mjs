// A server of static files.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** Serves the folder with these headers, and calls `body` with its URL. */
export async function withServer(path, headers, body) {
  const server = createServer((request, response) => void answer(path, headers, request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await body(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function answer(path, headers, { url }, response) {
  const { pathname } = new URL(url, "http://localhost");
  const type = TYPES[extname(pathname)];
  try {
    const body = await readFile(join(path, pathname));
    response.writeHead(200, { "content-type": type, ...headers }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}
