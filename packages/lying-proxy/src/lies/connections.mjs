// Lies in the transport of replies: other programs, endless bodies, no reply at all.

import { createGzip } from "node:zlib";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const to = ["sync", "get", "get at height", "blocks", "history", "diff"];
const JSON_TYPE = { "content-type": "application/json" };
const HTML_TYPE = { "content-type": "text/html" };
const PAGE = "<!doctype html><title>Sign in</title><p>Please sign in to this network.";

/** @type {import("./index.mjs").Lie[]} */
export const connections = [
  {
    name: "html",
    title: "An HTML page instead of a reply",
    explanation:
      "The reply is an HTML page with status 200, like that of a network that requires a sign-in.",
    code: "unavailable",
    reason: "invalid_reply",
    to,
    respond: ({ response, cors }) => response.writeHead(200, { ...cors, ...HTML_TYPE }).end(PAGE),
  },
  {
    name: "html-502",
    title: "An HTML error page",
    explanation:
      "The reply is an HTML page with status 502, like that of a proxy whose server is down.",
    code: "unavailable",
    reason: "server_error",
    to,
    respond: ({ response, cors }) => response.writeHead(502, { ...cors, ...HTML_TYPE }).end(PAGE),
  },
  {
    name: "result-with-500",
    title: "A result with an error's status",
    explanation: "The true reply has status 500.",
    code: "unavailable",
    reason: "server_error",
    to,
    respond: async ({ response, cors, honest }) => {
      const { text } = await honest();
      response.writeHead(500, { ...cors, ...JSON_TYPE }).end(text);
    },
  },
  {
    name: "endless-body",
    title: "An endless reply",
    explanation: "The reply starts correctly, and then spaces follow as fast as the client reads.",
    code: "unavailable",
    reason: "invalid_reply",
    to,
    respond: ({ response, cors }) => {
      response.writeHead(200, { ...cors, ...JSON_TYPE });
      return send(endless(), response);
    },
  },
  {
    name: "compressed-body",
    title: "A small reply that becomes a huge one",
    explanation: "The reply is compressed a thousandfold, and endless when decompressed.",
    code: "unavailable",
    reason: "invalid_reply",
    to,
    respond: ({ response, cors }) => {
      response.writeHead(200, { ...cors, ...JSON_TYPE, "content-encoding": "gzip" });
      return send(endless(), createGzip(), response);
    },
  },
  {
    name: "slow-body",
    title: "A reply that drips",
    explanation: "The server sends a space every tenth of a second, so that the reply never ends.",
    code: "unavailable",
    reason: "request_timeout",
    to,
    respond: ({ response, cors }) => {
      response.writeHead(200, { ...cors, ...JSON_TYPE }).write(" ");
      const drip = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(drip));
    },
  },
  {
    name: "half-body",
    title: "A reply that stops",
    explanation: "The server sends the first half of the reply, and then nothing more.",
    code: "unavailable",
    reason: "request_timeout",
    to,
    respond: async ({ response, cors, honest }) => {
      const { text } = await honest();
      response.writeHead(200, { ...cors, ...JSON_TYPE }).write(text.slice(0, text.length / 2));
    },
  },
  {
    name: "silence",
    title: "No reply at all",
    explanation: "The server accepts the request and sends nothing.",
    code: "unavailable",
    reason: "request_timeout",
    to,
    respond: () => undefined,
  },
  {
    name: "reset",
    title: "A connection that breaks",
    explanation: "The server resets the connection.",
    code: "unavailable",
    reason: "unreachable",
    to,
    respond: ({ request }) => request.socket.resetAndDestroy(),
  },
  {
    name: "cut-off",
    title: "A reply shorter than announced",
    explanation: "The connection ends before the announced number of bytes has been sent.",
    code: "unavailable",
    reason: "unreachable",
    to,
    respond: async ({ request, response, cors, honest }) => {
      const { text } = await honest();
      const length = { "content-length": String(text.length + 1) };
      response.writeHead(200, { ...cors, ...JSON_TYPE, ...length });
      response.write(text, () => request.socket.end());
    },
  },
  {
    name: "redirect-loop",
    title: "A redirect to itself",
    explanation: "The server redirects the client to the same URL.",
    code: "unavailable",
    reason: "unreachable",
    to,
    respond: ({ request, response, cors }) =>
      response.writeHead(307, { ...cors, location: request.url }).end(),
  },
  {
    name: "redirect-elsewhere",
    title: "A redirect to another address",
    explanation:
      "The server redirects the client to another address, which could be in the client's own network.",
    code: "unavailable",
    reason: "unreachable",
    to,
    respond: ({ response, cors }) =>
      response.writeHead(307, { ...cors, location: "/honest" }).end(),
  },
  {
    name: "no-http",
    title: "Not the protocol",
    explanation: "The reply is not HTTP.",
    code: "unavailable",
    reason: "unreachable",
    to,
    respond: ({ request }) => request.socket.end("220 mail.example ESMTP ready\r\n"),
  },
];

function endless() {
  const spaces = Buffer.alloc(1 << 16, " ");
  return Readable.from(
    (function* () {
      yield '{"jsonrpc":"2.0","id":1,"result":';
      for (;;) yield spaces;
    })(),
    { objectMode: false },
  );
}

/** Sends until the client closes the connection. */
const send = (...streams) => pipeline(...streams).catch(() => undefined);
