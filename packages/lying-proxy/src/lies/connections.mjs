// Lies in the transport of replies: other programs, endless bodies, no reply at all.

import { createGzip } from "node:zlib";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { refusedBy } from "./lie.mjs";

const refused = refusedBy("respond");
const to = ["sync", "get", "get at height", "blocks", "history", "diff"];
const JSON_TYPE = { "content-type": "application/json" };
const HTML_TYPE = { "content-type": "text/html" };
const PAGE = "<!doctype html><title>Sign in</title><p>Please sign in to this network.";

/** @type {import("./index.mjs").Lie[]} */
export const connections = [
  ...refused("unavailable", "invalid_reply", to, {
    html: [
      "An HTML page instead of a reply",
      "The reply is an HTML page with status 200, like that of a network that requires a sign-in.",
      ({ response, cors }) => response.writeHead(200, { ...cors, ...HTML_TYPE }).end(PAGE),
    ],
    "endless-body": [
      "An endless reply",
      "The reply starts correctly, and then spaces follow as fast as the client reads.",
      ({ response, cors }) => {
        response.writeHead(200, { ...cors, ...JSON_TYPE });
        return send(endless(), response);
      },
    ],
    "compressed-body": [
      "A small reply that becomes a huge one",
      "The reply is compressed a thousandfold, and endless when decompressed.",
      ({ response, cors }) => {
        response.writeHead(200, { ...cors, ...JSON_TYPE, "content-encoding": "gzip" });
        return send(endless(), createGzip(), response);
      },
    ],
  }),
  ...refused("unavailable", "server_error", to, {
    "html-502": [
      "An HTML error page",
      "The reply is an HTML page with status 502, like that of a proxy whose server is down.",
      ({ response, cors }) => response.writeHead(502, { ...cors, ...HTML_TYPE }).end(PAGE),
    ],
    "result-with-500": [
      "A result with an error's status",
      "The true reply has status 500.",
      async ({ response, cors, honest }) => {
        const { text } = await honest();
        response.writeHead(500, { ...cors, ...JSON_TYPE }).end(text);
      },
    ],
  }),
  ...refused("unavailable", "request_timeout", to, {
    "slow-body": [
      "A reply that drips",
      "The server sends a space every tenth of a second, so that the reply never ends.",
      ({ response, cors }) => {
        response.writeHead(200, { ...cors, ...JSON_TYPE }).write(" ");
        const drip = setInterval(() => response.write(" "), 100);
        response.on("close", () => clearInterval(drip));
      },
    ],
    "half-body": [
      "A reply that stops",
      "The server sends the first half of the reply, and then nothing more.",
      async ({ response, cors, honest }) => {
        const { text } = await honest();
        response.writeHead(200, { ...cors, ...JSON_TYPE }).write(text.slice(0, text.length / 2));
      },
    ],
    silence: [
      "No reply at all",
      "The server accepts the request and sends nothing.",
      () => undefined,
    ],
  }),
  ...refused("unavailable", "unreachable", to, {
    reset: [
      "A connection that breaks",
      "The server resets the connection.",
      ({ request }) => request.socket.resetAndDestroy(),
    ],
    "cut-off": [
      "A reply shorter than announced",
      "The connection ends before the announced number of bytes has been sent.",
      async ({ request, response, cors, honest }) => {
        const { text } = await honest();
        const length = { "content-length": String(text.length + 1) };
        response.writeHead(200, { ...cors, ...JSON_TYPE, ...length });
        response.write(text, () => request.socket.end());
      },
    ],
    "redirect-loop": [
      "A redirect to itself",
      "The server redirects the client to the same URL.",
      ({ request, response, cors }) =>
        response.writeHead(307, { ...cors, location: request.url }).end(),
    ],
    "redirect-elsewhere": [
      "A redirect to another address",
      "The server redirects the client to another address, which could be in the client's own network.",
      ({ response, cors }) => response.writeHead(307, { ...cors, location: "/honest" }).end(),
    ],
    "no-http": [
      "Not the protocol",
      "The reply is not HTTP.",
      ({ request }) => request.socket.end("220 mail.example ESMTP ready\r\n"),
    ],
  }),
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
