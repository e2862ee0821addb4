// A server between a client and a node that tells one lie: the first segment of the URL's path
// selects it. `/honest` and `/` forward everything unchanged.

import { createServer } from "node:http";

import { lies, nuisances } from "./lies/index.mjs";
import { openNode, RpcError } from "./node.mjs";
import { passSocketThrough } from "./sockets.mjs";

/** Pages of any origin may send requests; the node sees their origin, and decides what they may do. */
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, content-type",
  "access-control-max-age": "600",
};
const JSON_TYPE = { "content-type": "application/json" };

const told = new Map([...lies, ...nuisances].map((lie) => [lie.name, lie]));

/**
 * Starts a proxy on 127.0.0.1 in front of the node at `target`.
 *
 * @param {{ target: string | URL, port?: number }} options port 0 selects a free port
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startProxy({ target, port = 0 }) {
  const node = openNode(target);
  const server = createServer((request, response) => {
    answer(node, request, response).catch((error) => {
      // The node cannot be reached, or the client went away.
      if (response.headersSent) response.destroy();
      else send(response, 502, { "content-type": "text/plain" }, String(error));
    });
  });
  const sockets = new Set();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const { upgrade = passSocketThrough } = lieOf(request) ?? {};
    upgrade({ request, socket, head, target: node.url });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The first segment of a request's path. */
const segment = ({ url }) => url.split(/[/?]/)[1];

const lieOf = (request) => told.get(segment(request));

async function answer(node, request, response) {
  if (request.method === "OPTIONS") return send(response, 204, {});
  if (request.method === "GET" && segment(request) === "lies") {
    return send(response, 200, JSON_TYPE, JSON.stringify(lies.map(describe)));
  }
  if (request.method !== "POST") return send(response, 405, { allow: "POST" });
  const lie = lieOf(request);
  if (!lie && !["", "honest"].includes(segment(request))) {
    return send(
      response,
      404,
      { "content-type": "text/plain" },
      "There is no such lie; see /lies.",
    );
  }
  const { authorization, origin } = request.headers;
  const sent = { body: await read(request), authorization, origin };
  if (lie?.respond)
    return lie.respond({ request, response, cors: CORS, honest: () => node.post(sent) });
  const { status, text } = lie?.result
    ? await withResult(node, sent, lie.result)
    : await node.post(sent);
  return send(response, status, JSON_TYPE, lie?.text && status === 200 ? lie.text(text) : text);
}

/** The members that describe a lie to clients. */
const describe = ({ name, title, explanation, code, reason }) => ({
  name,
  title,
  explanation,
  code,
  reason,
});

/** The node's reply with a false result, or unchanged if the lie does not apply. */
async function withResult(node, sent, tell) {
  const honest = await node.post(sent);
  const call = parse(sent.body);
  if (!call) return honest;
  const { id, method, params = {} } = call;
  const reply = parse(honest.text);
  const ask = {
    method,
    params,
    /** The node's result for this call; undefined if the node answers with an error. */
    honest: reply?.result,
    /** Calls another method of the node. */
    node: node.call,
  };
  try {
    const result = await tell(ask);
    if (result === undefined) return honest;
    return { status: 200, text: JSON.stringify({ jsonrpc: "2.0", id, result }) };
  } catch (error) {
    // The node lacks the data that the lie needs.
    if (error instanceof RpcError) return honest;
    throw error;
  }
}

function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

function send(response, status, headers, body = "") {
  response.writeHead(status, { ...CORS, ...headers }).end(body);
}
