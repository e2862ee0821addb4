/** The endpoint over HTTP. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import type { Endpoint } from "./endpoint.js";
import type { Guard } from "./guard.js";

/** The most bytes of a body. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** The most bytes of a longer body that are read, so that its sender reads the reply. */
const MAX_DRAINED_BYTES = 16 * MAX_BODY_BYTES;

/** The most connections at once. */
const MAX_CONNECTIONS = 512;

/** What a server serves. */
export interface Service {
  endpoint: Endpoint;
  guard: Guard;
  /** The line for people who open the URL in a browser. */
  welcome: string;
  /** The state of the endpoint, for programs that watch over it. */
  health: () => { ok: boolean };
}

/** Creates the server; it does not listen yet. */
export function createEndpointServer(service: Service): Server {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000 },
    (request, response) => {
      serve(service, request, response).catch(() => {
        // The client has gone, or its request is no HTTP.
        response.destroy();
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function serve(
  { endpoint, guard, welcome, health }: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, method } = request;
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("vary", "origin");
  const refusal = guard.refusalOf(headers, request.socket.localPort);
  if (refusal !== undefined) {
    sendText(response, 403, refusal);
    return;
  }
  if (headers.origin !== undefined) {
    response.setHeader("access-control-allow-origin", headers.origin);
  }
  const [path] = (request.url ?? "").split("?", 1);
  if (method === "OPTIONS") {
    allow(headers["access-control-request-private-network"] === "true", response);
  } else if (path === "/health" && method === "GET") {
    const state = health();
    sendJson(response, state.ok ? 200 : 503, JSON.stringify(state));
  } else if (path !== "/") {
    sendText(response, 404, "no such resource; JSON-RPC is at /");
  } else if (method === "GET") {
    sendText(response, 200, welcome);
  } else if (method === "POST") {
    await answer(endpoint, request, response);
  } else {
    response.setHeader("allow", "GET, POST, OPTIONS");
    sendText(response, 405, "JSON-RPC is asked by POST");
  }
}

/** Answers the question of a browser whether a page may ask. */
function allow(privateNetwork: boolean, response: ServerResponse): void {
  response.setHeader("access-control-allow-methods", "GET, POST");
  response.setHeader("access-control-allow-headers", "*");
  response.setHeader("access-control-max-age", "600");
  if (privateNetwork) response.setHeader("access-control-allow-private-network", "true");
  response.writeHead(204).end();
}

async function answer(
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => {
    gone.abort();
  });
  const body = await bodyOf(request);
  if (body === undefined) {
    // What follows of the body is not read.
    response.setHeader("connection", "close");
    const message = `limit exceeded: a body has at most ${MAX_BODY_BYTES} bytes`;
    const error = { code: -32005, message };
    sendJson(response, 200, JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    return;
  }
  const reply = await endpoint.answer(body, gone.signal);
  // Errors have this status, too: wallets take others for failures of the server.
  if (reply !== undefined) sendJson(response, 200, reply);
  else response.writeHead(204).end();
}

/** The bytes of a body; undefined if they are more than the limit. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  // The request must not end with the loop, since the reply would end with it.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    length += (part as Buffer).length;
    if (length <= MAX_BODY_BYTES) parts.push(part as Buffer);
    if (length > MAX_DRAINED_BYTES) break;
  }
  return length <= MAX_BODY_BYTES ? Buffer.concat(parts) : undefined;
}

function sendText(response: ServerResponse, status: number, line: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${line}\n`);
}

function sendJson(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(json);
}
