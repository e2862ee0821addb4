/** What servers say about a failure reaches whoever asked, in whatever form they say it. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { afterAll, describe, expect, test } from "vitest";

import { EthereumClient } from "../../src/ethereum.js";
import { createProvider, httpProvider, ProviderError } from "../../src/provider.js";
import { listen } from "../listen.js";
import { rejection } from "../refusal.js";
import { optionsOf } from "./made-up-chain.js";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let handle: Handler = () => undefined;
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    handle(request, response);
  });
});
const { url, close } = await listen(server);
afterAll(close);

/** Answers with a status and a body, in JSON unless it is a text. */
const saying =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

const ask = () => httpProvider(url).request({ method: "eth_getProof", params: ["0x", [], "0x1"] });

const rpc = (error: unknown) => ({ jsonrpc: "2.0", id: 1, error });
const trie = "missing trie node 12ab (path 0102) state 0x34cd is not available";

describe("the message of a reply without success", () => {
  test.each<[string, Handler, string]>([
    [
      "400 of JSON-RPC",
      saying(400, rpc({ code: -32000, message: trie })),
      `HTTP status 400: ${trie}`,
    ],
    [
      "401 of JSON-RPC",
      saying(401, rpc({ code: -32600, message: "Must be authenticated!" })),
      "HTTP status 401: Must be authenticated!",
    ],
    [
      "403 in plain text",
      saying(403, "origin not allowed\n"),
      "HTTP status 403: origin not allowed",
    ],
    [
      "404 of a beacon node",
      saying(404, { code: 404, message: "NOT_FOUND: no finality update", stacktraces: ["x"] }),
      "HTTP status 404: NOT_FOUND: no finality update",
    ],
    ["404 with a message alone", saying(404, { message: "no route" }), "HTTP status 404: no route"],
    [
      "404 with an error alone",
      saying(404, { error: "no such path" }),
      "HTTP status 404: no such path",
    ],
    [
      "422 of several errors",
      saying(422, { errors: [{ message: "unknown field" }] }),
      "HTTP status 422: unknown field",
    ],
    [
      "429 of JSON-RPC in a list",
      saying(429, [rpc({ code: -32005, message: "limit exceeded" })], { "retry-after": "30" }),
      "HTTP status 429: limit exceeded: retry after 30 s",
    ],
    [
      "429 until a date",
      saying(429, "slow down", { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }),
      "HTTP status 429: slow down: retry after Wed, 21 Oct 2026 07:28:00 GMT",
    ],
    [
      "500 with a problem",
      saying(500, { title: "Internal", detail: "database is closed" }),
      "HTTP status 500: database is closed",
    ],
    ["502 of a page", saying(502, "<html><h1>Bad gateway</h1></html>"), "HTTP status 502"],
    ["503 of nothing", saying(503, ""), "HTTP status 503"],
    ["503 of null", saying(503, "null"), "HTTP status 503"],
    ["500 of a number", saying(500, { error: 7, message: {} }), "HTTP status 500"],
    [
      "500 with control characters",
      saying(500, { message: "a\u0000\u001b[31m\n\u202eb\u00a0\u00a0c" }),
      "HTTP status 500: a [31m b c",
    ],
    ["500 that is long", saying(500, "x".repeat(1000)), `HTTP status 500: ${"x".repeat(200)}…`],
    [
      "500 of characters with two units",
      saying(500, "😀".repeat(300)),
      `HTTP status 500: ${"😀".repeat(200)}…`,
    ],
    ["500 that is too long to be read", saying(500, "x".repeat(200_000)), "HTTP status 500"],
    [
      "500 that is no UTF-8",
      (_, response) => response.writeHead(500).end(Buffer.from([0xff, 0xfe])),
      "HTTP status 500",
    ],
  ])("is kept: %s", async (_, handler, found) => {
    handle = handler;
    const error = await rejection(ask());
    expect([error.code, error.reason]).toEqual(["unavailable", "server_error"]);
    expect(error.details.found).toBe(found);
    expect(error.message).toContain(found);
    expect(error.cause).toHaveProperty("status", Number(/\d+/.exec(found)?.[0]));
  });

  test("may have one of our reasons", async () => {
    handle = saying(503, rpc({ code: -32000, message: "later", data: { reason: "busy" } }));
    expect((await rejection(ask())).reason).toBe("busy");
    handle = saying(
      503,
      rpc({ code: -32000, message: "later", data: { reason: "root_mismatch" } }),
    );
    expect((await rejection(ask())).reason).toBe("server_error");
  });

  test("is read to an end that never comes only until the timeout", async () => {
    handle = (_, response) => response.writeHead(500).write("never ");
    const provider = httpProvider(url, { timeout: 200 });
    const error = await rejection(provider.request({ method: "eth_chainId" }));
    expect(error.code).toBe("unavailable");
  });

  test("of a beacon node is kept", async () => {
    const hint = "LightClient updates are not served; start with --light-client-server";
    handle = saying(404, { code: 404, message: hint });
    const error = await rejection(
      EthereumClient.connect({ ...optionsOf("electra"), beacon: [url], execution: [url] }),
    );
    expect([error.code, error.reason]).toEqual(["unavailable", "server_error"]);
    expect(error.message).toContain(`HTTP status 404: ${hint}`);
  });
});

test.each([
  ["control characters", "a\u0007\r\nb", "a b"],
  ["no text", 7, "an error without a message"],
  ["a thousand characters", "y".repeat(1000), `${"y".repeat(200)}…`],
])("the message of JSON-RPC is kept in one line: %s", async (_, message, found) => {
  handle = saying(200, rpc({ code: -32000, message }));
  expect((await rejection(ask())).details.found).toBe(found);
});

test("an error of JSON-RPC may be a text", async () => {
  handle = saying(200, rpc("no such method"));
  expect((await rejection(ask())).details.found).toBe("no such method");
});

describe("the id of a reply", () => {
  test.each([1, "1", null, undefined])("may be %s", async (id) => {
    handle = saying(200, { jsonrpc: "2.0", id, result: "0x5" });
    expect(await httpProvider(url).request({ method: "eth_chainId" })).toBe("0x5");
    handle = saying(200, { jsonrpc: "2.0", id, error: { code: 3, message: "no" } });
    expect((await rejection(ask())).details.found).toBe("no");
  });

  test.each([0, 2, "2", true, {}, "01"])("may not be %s", async (id) => {
    handle = saying(200, { jsonrpc: "2.0", id, result: "0x5" });
    expect((await rejection(ask())).reason).toBe("invalid_reply");
  });
});

describe("a provider", () => {
  /** Nothing listens there. */
  const DEAD = "http://127.0.0.1:9";
  const heads = { latest: `0x${"12".repeat(32)}` } as const;

  const codeOf = async (execution: string[]) => {
    const provider = createProvider({ heads, chainId: 1n, execution, timeout: 2000 });
    const error: unknown = await provider
      .request({ method: "eth_blockNumber" })
      .catch((error: unknown) => error);
    if (error instanceof ProviderError) return error.code;
    throw new Error(`not refused: ${String(error)}`);
  };

  test("is disconnected only if none of its servers can be reached", async () => {
    handle = saying(500, rpc({ code: -32000, message: "no" }));
    expect(await codeOf([DEAD])).toBe(4900);
    expect(await codeOf([DEAD, `${DEAD}/2`])).toBe(4900);
    expect(await codeOf([url])).toBe(-32001);
    expect(await codeOf([DEAD, url])).toBe(-32001);
    expect(await codeOf([url, DEAD])).toBe(-32001);
    handle = saying(200, { jsonrpc: "2.0", id: 1, result: null });
    expect(await codeOf([url])).toBe(-32001);
    expect(await codeOf([DEAD, url])).toBe(-32001);
    handle = saying(200, "no JSON");
    expect(await codeOf([url])).toBe(-32001);
  });
});
