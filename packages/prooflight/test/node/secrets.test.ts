/** Nothing of a server's URL but its origin is printed or thrown: the other parts may hold a password or a key. */

import { createServer, type IncomingMessage, request as forward, type Server } from "node:http";
import { connect as dial } from "node:net";
import { inspect } from "node:util";

import { describe, expect, onTestFinished, test } from "vitest";

import { EthereumClient } from "../../src/ethereum.js";
import { LightClient, type Options } from "../../src/index.js";
import { createProvider, httpProvider } from "../../src/provider.js";
import { compile } from "../../src/wasm/compile.js";
import { network } from "../client/network.js";
import { listen as start } from "../listen.js";
import { rejection } from "../refusal.js";
import { filesFolder, run } from "./command.js";

const file = filesFolder();

const USER = "userSECRET:ü";
const PASSWORD = "wordSECRET:/@ 世";
const CREDENTIALS = Buffer.from(`userSECRETü:${PASSWORD}`).toString("base64");

/** The URL with a secret in each part. */
function secret(origin: string): string {
  const url = new URL(origin);
  const at = `${encodeURIComponent(USER.replace(":", ""))}:${encodeURIComponent(PASSWORD)}@`;
  return `${url.protocol}//${at}${url.host}/v3/pathSECRET/K?apikey=querySECRET&x#markSECRET`;
}

/** What nobody may read. */
const SECRETS = [/SECRET/, /世/, /%E4/i, /apikey/, /\/K\b/, new RegExp(CREDENTIALS)];

function expectNoSecret(text: string): void {
  for (const one of SECRETS) expect(text).not.toMatch(one);
}

/** All that a program that logs an error could print. */
const printed = (error: unknown) =>
  [inspect(error, { depth: 20, showHidden: true }), String(error), JSON.stringify(error)].join();

async function listen(server: Server): Promise<string> {
  const { url, close } = await start(server);
  onTestFinished(close);
  return url;
}

/** Says everything that the client told it, in each way in which servers refuse. */
function repeating(way: string): Server {
  return createServer((request: IncomingMessage, response) => {
    const { authorization = "", host } = request.headers;
    const plain = Buffer.from(authorization.replace("Basic ", ""), "base64").toString();
    const url = `http://${plain}@${host}${request.url}`;
    const said = `Cannot ${request.method} ${request.url} for ${plain} (${authorization}): ${url}, ${decodeURIComponent(url)}`;
    const error = { code: -32000, message: said, data: { reason: "other", url, authorization } };
    const headers = { "content-type": "application/json" };
    if (way === "silence") return;
    if (way === "a redirect") response.writeHead(302, { location: encodeURI(url) }).end();
    else if (way === "a status") response.writeHead(404).end(said);
    else if (way === "a status and JSON")
      response.writeHead(401, headers).end(JSON.stringify({ error }));
    else if (way === "no JSON") response.writeHead(200, headers).end(said);
    else if (way === "a result")
      response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: said }));
    else response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));
  });
}

const WAYS = [
  ...["an error", "a status", "a status and JSON", "a redirect", "no JSON", "a result", "silence"],
];

const ETHEREUM = {
  network: "mainnet",
  checkpoint: `0x${"00".repeat(32)}`,
  maxCheckpointAge: Number.MAX_SAFE_INTEGER,
  timeout: 300,
} as const;

/** Every option that is a URL, in the library. */
const USES: Record<string, (url: string, more: object, heard: unknown[]) => Promise<unknown>> = {
  "urls of LightClient": (url, more, heard) =>
    LightClient.connect({
      ...{ urls: [url, new URL(url)], checkpoint: network.pinned, timeout: 300, ...more },
      onFailure: (failure) => heard.push(failure, printed(failure.error)),
    }),
  "a shard of LightClient": (url, more, heard) =>
    LightClient.connect({
      urls: [{ url, shard: { class: 0, of: 2 } as never }],
      ...{ checkpoint: network.pinned, timeout: 300, ...more },
      onFailure: (failure) => heard.push(failure, printed(failure.error)),
    }),
  "beacon of EthereumClient": (url, more, heard) =>
    EthereumClient.connect({
      ...{ ...ETHEREUM, ...more, beacon: [url, url], execution: ["http://127.0.0.1:1"] },
      onFailure: (failure) => heard.push(failure, printed(failure.error)),
    }),
  "execution of EthereumClient": (url, more, heard) =>
    EthereumClient.connect({
      ...{ ...ETHEREUM, ...more, beacon: ["http://127.0.0.1:1"], execution: [url, url] },
      onFailure: (failure) => heard.push(failure, printed(failure.error)),
    }),
  httpProvider: async (url, more) =>
    httpProvider(url, { timeout: 300, ...more }).request({ method: "eth_chainId" }),
  "httpProvider in createProvider": async (url, more) =>
    createProvider({
      provider: httpProvider(url, { timeout: 300, ...more }),
      chainId: 1,
      trust: { kind: "stateRoot", stateRoot: `0x${"00".repeat(32)}` } as never,
      ...{ mode: "if-possible", forward: ["eth_sendRawTransaction"], onUnverified: () => true },
    }).request({ method: "eth_sendRawTransaction", params: ["0x00"] }),
};

describe.each(Object.entries(USES))("%s", (_, use) => {
  test.each(WAYS)("a server that answers with %s", async (way) => {
    const url = secret(await listen(repeating(way)));
    const heard: unknown[] = [];
    const outcome = await use(url, {}, heard).then(() => "", printed);
    expectNoSecret(`${outcome}${heard.map((one) => inspect(one)).join()}`);
  });

  test("no server", async () => {
    const heard: unknown[] = [];
    const outcome = await use(secret("http://127.0.0.1:1"), {}, heard).then(() => "", printed);
    expectNoSecret(`${outcome}${heard.map((one) => inspect(one)).join()}`);
  });

  test("a fetch that names the URL in its error, as those of Deno, Bun and libraries do", async () => {
    const heard: unknown[] = [];
    const fetch = (input: URL | RequestInfo, init?: RequestInit) => {
      const { href } = input as URL;
      const { authorization } = (init?.headers ?? {}) as Record<string, string>;
      const error = new TypeError(`error sending request for url (${href})`, {
        cause: new Error(`no route to ${href} ${authorization}`),
      });
      return Promise.reject(Object.assign(error, { path: href, init }));
    };
    const outcome = await use(secret("http://127.0.0.1:1"), { fetch }, heard).then(
      () => "",
      printed,
    );
    expectNoSecret(`${outcome}${heard.map((one) => inspect(one)).join()}`);
  });

  test.each([
    secret("ftp://host.example"),
    secret("http://host.example").replace("http://", "http//"),
    secret("http://host.example").replace("@host.example", "@host.example:99999"),
    secret("http://host.example").replace("http://", ""),
    "userSECRET:wordSECRET@host.example",
    "userSECRET:wordSECRET",
    "http://userSECRET:word/SECRET@host.example",
  ])("what is no URL of a server: %s", async (url) => {
    // `new URL(url)` in a test of its own would throw first.
    const uses = use.toString().includes("new URL") ? (): Promise<unknown> => connectTo(url) : use;
    expectNoSecret(await uses(url, {}, []).then(() => "", printed));
  });
});

const connectTo = (url: string) =>
  LightClient.connect({ urls: [url], checkpoint: network.pinned } satisfies Options);

test("the URL of the WebAssembly", async () => {
  for (const way of ["a status", "no JSON"]) {
    const url = secret(await listen(repeating(way)));
    for (const input of [url, new URL(url)])
      expectNoSecret(printed(await rejection(compile(input))));
  }
  expectNoSecret(printed(await rejection(compile(secret("http://127.0.0.1:1")))));
  expectNoSecret(
    printed(await rejection(compile(secret("http://host").replace("host", "host:99999")))),
  );
});

describe("the command prints none,", () => {
  const url = secret("http://127.0.0.1:1");
  const pinned = () => file("checkpoint.json", JSON.stringify(network.pinned));
  const eth = ["--checkpoint", ETHEREUM.checkpoint, "--timeout", "300"];

  test.each([
    ["--server", ["head", "--checkpoint", "PINNED", "--server", url, "--server", url]],
    ["--beacon", ["eth", "block", ...eth, "--execution", url, "--beacon", url, "--beacon", url]],
    ["--json", ["head", "--json", "--checkpoint", "PINNED", "--server", url, "--server", url]],
    ["the command", [url]],
    ["a word after eth", ["eth", url]],
    ["an unknown option", ["head", `--sever=${url}`]],
    ["an option that takes nothing", ["head", `--json=${url}`]],
    ["a file", ["verify", url]],
    ["a file and --json", ["verify", "--json", url]],
    ["vectors", ["vectors", url]],
    ["a hash", ["eth", "tx", url, ...eth, "--execution", url, "--beacon", url]],
    ...[
      ...["checkpoint", "at", "timeout", "max-head-age", "scheme", "verifying-key"],
      ...["server", "bundle"],
    ].map((name) => [
      `--${name} of get`,
      [
        "get",
        "alice",
        "--checkpoint",
        "PINNED",
        "--server",
        "http://127.0.0.1:1",
        `--${name}`,
        url,
      ],
    ]),
    ...["from", "to", "limit", "prefix"].map((name) => [
      `--${name}`,
      [
        ...[name === "limit" || name === "prefix" ? "range" : "diff", "--checkpoint", "PINNED"],
        ...["--server", "http://127.0.0.1:1", `--${name}`, url],
      ],
    ]),
    ...["network", "checkpoint", "state", "max-checkpoint-age", "topic", "from", "max-bytes"].map(
      (name) => [
        `--${name} of eth logs`,
        ["eth", "logs", ...eth, "--execution", url, "--beacon", url, `--${name}`, url],
      ],
    ),
    ...["state-root", "address", "slot"].map((name) => [
      `--${name} of verify`,
      ["verify", "PROOF", `--${name}`, url],
    ]),
  ] as [string, string[]][])("whichever way it is given one: %s", async (_, args) => {
    const proof = () => file("proof.json", JSON.stringify({ accountProof: [], storageProof: [] }));
    const files = args.map((one) =>
      one === "PINNED" ? pinned() : one === "PROOF" ? proof() : one,
    );
    const { status, stdout, stderr } = await run(...files);
    expect(status).toBeGreaterThan(0);
    expectNoSecret(stdout + stderr);
  });
});

test("servers of one origin have a number, in evidence, failures and the command's lines", async () => {
  const heard: string[] = [];
  const client = await LightClient.connect({
    urls: [`${network.liar}/value/secretSECRET`, `${network.liar}/honest`, network.url],
    checkpoint: network.pinned,
    onFailure: ({ url }) => heard.push(url),
  });
  onTestFinished(() => {
    client.close();
  });
  const { evidence } = await client.get(new TextEncoder().encode("alice"));
  expect([...heard, evidence.server]).not.toContain(`${network.liar}/`);
  for (const name of [...heard, evidence.server]) {
    expect(name).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/( \(server [12]\))?$/);
    expect(new URL(name).host).toBe(new URL(network.liar).host);
  }
  const { stdout } = await run(
    ...["get", "alice", "--checkpoint", file("checkpoint.json", JSON.stringify(network.pinned))],
    ...["--server", `${network.liar}/honest`, "--server", `${network.liar}/value`],
  );
  expect(stdout).toMatch(new RegExp(`server +${new URL(network.liar).host} \\(server 1\\)\n`));
});

describe("basic authentication", () => {
  /** A node behind a server that asks for a user and password. */
  async function guard() {
    const node = new URL(network.url);
    const [seen, upgrades]: (string | undefined)[][] = [[], []];
    const expected = `Basic ${CREDENTIALS}`;
    const server = createServer((request, response) => {
      seen?.push(request.headers.authorization);
      if (request.headers.authorization !== expected) {
        response.writeHead(401, { "www-authenticate": 'Basic realm="node"' }).end("who are you?");
        return;
      }
      const headers = { ...request.headers, host: node.host };
      delete headers.authorization;
      const { hostname: host, port } = node;
      const through = forward({ host, port, method: request.method, headers });
      through.on("response", (reply) => {
        response.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(response);
      });
      request.pipe(through);
    });
    server.on("upgrade", (request, socket) => {
      upgrades?.push(request.headers.authorization);
      if (request.headers.authorization !== expected) {
        socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
        return;
      }
      const through = dial(Number(node.port), node.hostname);
      const headers = { ...request.headers, host: node.host };
      delete headers.authorization;
      const lines = Object.entries(headers);
      const head = lines.map(([name, value]) => `${name}: ${String(value)}\r\n`).join("");
      through.write(`GET / HTTP/1.1\r\n${head}\r\n`);
      socket.pipe(through).pipe(socket);
      for (const end of [socket, through]) end.on("error", () => end.destroy());
    });
    return { url: await listen(server), seen: seen ?? [], upgrades: upgrades ?? [] };
  }

  test("is done with the user and password of the URL, over HTTP and WebSocket", async () => {
    const guarded = await guard();
    const client = await LightClient.connect({
      urls: [secret(guarded.url).replace(/\/v3.*/, "")],
      checkpoint: network.pinned,
      webSocket: true,
    });
    onTestFinished(() => {
      client.close();
    });
    expect((await client.get(new TextEncoder().encode("alice"))).evidence.server).toBe(
      `${guarded.url}/`,
    );
    client.onHead(() => undefined);
    while (guarded.upgrades.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(new Set([...guarded.seen, ...guarded.upgrades])).toEqual(
      new Set([`Basic ${CREDENTIALS}`]),
    );
  });

  test("is refused by the server for another password", async () => {
    const guarded = await guard();
    const url = guarded.url.replace("//", "//userSECRET:wrongSECRET@");
    const error = await rejection(connectTo(url));
    expect(error).toMatchObject({ code: "unavailable", reason: "server_error" });
    expect(error.message).toContain("401");
    expectNoSecret(printed(error));
  });

  test("polls where a WebSocket cannot send headers, as in browsers", async () => {
    const guarded = await guard();
    const { WebSocket } = globalThis;
    class PageSocket extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        if (typeof protocols === "object" && !Array.isArray(protocols)) {
          throw new SyntaxError("the subprotocol '[object Object]' is invalid");
        }
        super(url, protocols);
      }
    }
    globalThis.WebSocket = PageSocket;
    onTestFinished(() => {
      globalThis.WebSocket = WebSocket;
    });
    const client = await LightClient.connect({
      urls: [secret(guarded.url).replace(/\/v3.*/, "")],
      ...{ checkpoint: network.pinned, webSocket: true, pollInterval: 50 },
    });
    onTestFinished(() => {
      client.close();
    });
    client.onHead(() => undefined);
    const before = guarded.seen.length;
    while (guarded.seen.length < before + 3)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(guarded.upgrades).toEqual([]);
  });
});
