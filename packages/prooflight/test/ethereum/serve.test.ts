/** `prooflight eth serve` and `eth checkpoint`: the endpoint over an executed chain, and the commands as users run them. */

import { type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

import { JsonRpcProvider } from "ethers";
import { createPublicClient, http } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { FailureLog, followHeads } from "../../src/cli/ethereum/serve.js";
import { Endpoint, type EndpointLimits } from "../../src/cli/ethereum/serve/endpoint.js";
import { Guard, type GuardOptions } from "../../src/cli/ethereum/serve/guard.js";
import { HeadWatch } from "../../src/cli/ethereum/serve/heads.js";
import { createEndpointServer } from "../../src/cli/ethereum/serve/http.js";
import { StartGate } from "../../src/cli/ethereum/serve/queue.js";
import { VerifyError } from "../../src/index.js";
import { type Eip1193Provider, ProviderError } from "../../src/provider.js";
import type { Reason } from "../../src/registry.js";
import { listen as start } from "../listen.js";
import { run, start as startCommand } from "../node/command.js";
import { startAnvil } from "./anvil.js";
import { executeChain, type ExecutionChain } from "./execution-chain.js";
import { signed, type SignedHead } from "./provable.js";
import { hashOf, providerOf } from "./provider-of.js";
import { proofsIn } from "./serve.js";
import { honest, listen } from "./servers.js";

const folder = mkdtempSync(join(tmpdir(), "prooflight-serve-"));
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
  rmSync(folder, { recursive: true });
});

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request as it is: `fetch` would not send every header. */
async function send(url: string, sent: Sent): Promise<Received> {
  const { method = sent.body === undefined ? "GET" : "POST", path = "/", headers = {} } = sent;
  const sending = request(new URL(path, url), { method, headers });
  sending.end(sent.body);
  const [response] = (await once(sending, "response")) as [NodeJS.ReadableStream & Received];
  let text = "";
  for await (const part of response) text += String(part);
  const { headers: received } = response;
  return {
    status: (response as unknown as { statusCode: number }).statusCode,
    headers: received,
    text,
  };
}

interface Reply {
  jsonrpc: string;
  id: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** Posts a body, which is text or JSON, and gives the JSON that came with status 200. */
async function post(url: string, body: unknown): Promise<unknown> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const reply = await send(url, { body: text });
  expect(reply.status).toBe(200);
  expect(reply.headers["content-type"]).toBe("application/json");
  return JSON.parse(reply.text);
}

const rpc = (method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id: 7, method, params });

const ask = async (url: string, method: string, ...params: unknown[]): Promise<Reply> =>
  post(url, rpc(method, ...params)) as Promise<Reply>;

interface Served {
  limits?: Partial<EndpointLimits>;
  gate?: StartGate;
  guard?: GuardOptions;
}

/** Serves a provider on any free port. */
async function serving(provider: Eip1193Provider, { limits, gate, guard }: Served = {}) {
  const endpoint = new Endpoint(provider, { ...(limits && { limits }), ...(gate && { gate }) });
  const server = createEndpointServer({
    endpoint,
    guard: new Guard(guard),
    welcome: "a line for people",
    health: () => ({ ok: true }),
  });
  const { url, close } = await start(server);
  closing.push(close);
  return url;
}

/** The contract that has the hashes of earlier blocks (EIP-2935). */
const HISTORY = "0x0000f90827f1c53a10cb7a02335b175320002935";
const RICH = "0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f";
const HEAD = 0x36;
const word = (number: number) => `0x${number.toString(16).padStart(64, "0")}` as const;

let chain: ExecutionChain;
let url: string;

const provider = (answer?: Parameters<typeof providerOf>[2]) =>
  providerOf(chain, { fork: "osaka", maxWalk: 64, heads: { latest: hashOf(chain, HEAD) } }, answer)
    .provider;

beforeAll(async () => {
  chain = await executeChain();
  url = await serving(provider());
});

describe("programs read over HTTP", () => {
  test("with viem, one by one and in batches", async () => {
    for (const batch of [false, true]) {
      const client = createPublicClient({ transport: http(url, { batch }) });
      const [chainId, number, balance, block, { data }] = await Promise.all([
        client.getChainId(),
        client.getBlockNumber(),
        client.getBalance({ address: RICH }),
        client.getBlock({ blockNumber: 0x2an }),
        client.call({ to: HISTORY, data: word(0x35) }),
      ]);
      expect(BigInt(chainId)).toBe(chain.options.chainId);
      expect(number).toBe(BigInt(HEAD));
      expect(balance).toBeGreaterThan(10n ** 30n);
      expect(block.hash).toBe(hashOf(chain, 0x2a));
      expect(data).toBe(hashOf(chain, 0x35));
      const filter = await client.createBlockFilter();
      expect(await client.getFilterChanges({ filter })).toEqual([]);
    }
  });

  test("with ethers", async () => {
    const ethers = new JsonRpcProvider(url);
    const [balance, block, data] = await Promise.all([
      ethers.getBalance(RICH),
      ethers.getBlock(0x2a),
      ethers.call({ to: HISTORY, data: word(0x35) }),
    ]);
    expect(balance).toBeGreaterThan(10n ** 30n);
    expect(block?.hash).toBe(hashOf(chain, 0x2a));
    expect(data).toBe(hashOf(chain, 0x35));
    await expect(ethers.call({ data: "0x5f5ffd" })).rejects.toMatchObject({
      code: "CALL_EXCEPTION",
      data: "0x",
    });
    ethers.destroy();
  });

  test("and viem sees a revert as one", async () => {
    const client = createPublicClient({ transport: http(url) });
    await expect(client.call({ data: "0x5f5ffd" })).rejects.toThrow(/reverted/);
  });

  test("and learn which program answers, and that it has no accounts", async () => {
    expect((await ask(url, "web3_clientVersion")).result).toBe("prooflight/0.1.0");
    expect((await ask(url, "eth_accounts")).result).toEqual([]);
    expect((await ask(url, "net_version")).result).toBe(String(chain.options.chainId));
  });
});

test("anvil forks from the endpoint", async () => {
  const node = await startAnvil("--fork-url", url);
  closing.push(node.stop);
  const client = createPublicClient({ transport: http(node.url) });
  expect(await client.getBalance({ address: RICH })).toBeGreaterThan(10n ** 30n);
  const { data } = await client.call({ to: HISTORY, data: word(0x35) });
  expect(data).toBe(hashOf(chain, 0x35));
});

describe("a reply", () => {
  test("has the id of its request", async () => {
    for (const id of [0, 1.5, "one", "", null, -3]) {
      const reply = await post(url, { jsonrpc: "2.0", id, method: "eth_chainId" });
      expect(reply).toMatchObject({ jsonrpc: "2.0", id, result: expect.anything() as unknown });
    }
  });

  test("takes null for no parameters", async () => {
    const given = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: null };
    expect(await post(url, given)).toHaveProperty("result");
  });

  test("to a batch has the replies in order, and none to notifications", async () => {
    const notification = { jsonrpc: "2.0", method: "eth_chainId" };
    const batch = [
      { ...rpc("eth_blockNumber"), id: "a" },
      notification,
      5,
      { ...rpc("eth_nothing"), id: "b" },
      { ...rpc("web3_clientVersion"), id: "c" },
    ];
    expect(await post(url, batch)).toMatchObject([
      { id: "a", result: "0x36" },
      { id: null, error: { code: -32600 } },
      { id: "b", error: { code: -32601 } },
      { id: "c", result: "prooflight/0.1.0" },
    ]);
    for (const body of [notification, [notification, notification]]) {
      const reply = await send(url, { body: JSON.stringify(body) });
      expect(reply).toMatchObject({ status: 204, text: "" });
    }
  });
});

describe("an error", () => {
  test.each([
    ["no JSON", '{"jsonrpc":"2.0",'],
    ["nothing", ""],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ])("is -32700 for %s", async (_, body) => {
    const { status, text } = await send(url, { body });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ id: null, error: { code: -32700 } });
  });

  test.each<[string, unknown, unknown]>([
    ["a number", 5, null],
    ["a text", '"eth_chainId"', null],
    ["null", "null", null],
    ["an empty batch", [], null],
    ["no version", { id: 1, method: "eth_chainId" }, 1],
    ["another version", { jsonrpc: "1.0", id: 1, method: "eth_chainId" }, 1],
    ["no method", { jsonrpc: "2.0", id: "x" }, "x"],
    ["a method of another type", { jsonrpc: "2.0", id: 1, method: 7 }, 1],
    ["parameters of another type", { ...rpc("eth_chainId"), params: "latest" }, 7],
    ["an object as its id", { ...rpc("eth_chainId"), id: {} }, null],
    ["an id that no number keeps", '{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}', null],
  ])("is -32600 for %s", async (_, body, id) => {
    expect(await post(url, body)).toMatchObject({ id, error: { code: -32600 } });
  });

  test.each([
    ...["anvil_nodeInfo", "eth_nothing", "debug_traceCall", "eth_sendTransaction", "toString"],
    ...["eth_fillTransaction", "eth_newPendingTransactionFilter", "net_listening", "__proto__", ""],
  ])("is geth's for the method %j, which nobody answers", async (method) => {
    const message = `the method ${method} does not exist/is not available`;
    expect((await ask(url, method)).error).toMatchObject({ code: -32601, message });
    const { error } = await ask(url, "x".repeat(100_000));
    expect(error?.code).toBe(-32601);
    expect(error?.message.length).toBeLessThan(200);
  });

  test("is geth's for a subscription, which needs a connection that stays", async () => {
    const message = "notifications not supported";
    expect((await ask(url, "eth_subscribe", "newHeads")).error).toEqual({ code: -32601, message });
  });

  test("of a call has the code, message and data of geth", async () => {
    expect((await ask(url, "eth_call", { data: "0x5f5ffd" })).error).toEqual({
      code: 3,
      message: "execution reverted",
      data: "0x",
    });
    const { error } = await ask(url, "eth_call", { data: "0xfe" });
    expect(error).toEqual({ code: -32000, message: "invalid opcode: INVALID" });
  });

  test("of the provider keeps its code, message and data", async () => {
    const wrong = await ask(url, "eth_getBalance", "0x12", "latest");
    expect(wrong.error).toMatchObject({ code: -32602, data: { reason: "invalid_argument" } });
    const unknown = await ask(url, "eth_getBalance", RICH, "0x37");
    expect(unknown.error).toMatchObject({ code: -32001, data: { reason: "unknown_block" } });
    const filter = await ask(url, "eth_newFilter", {});
    expect((await ask(url, "eth_getFilterChanges", "0x1")).error).toMatchObject({ code: -32000 });
    expect((await ask(url, "eth_getFilterChanges", filter.result)).result).toEqual([]);
    expect((await ask(url, "eth_uninstallFilter", filter.result)).result).toBe(true);
  });

  test("of a program without a code is internal, and says no more", async () => {
    const failing = await serving({ request: () => Promise.reject(new Error("secret")) });
    expect((await ask(failing, "eth_chainId")).error).toEqual({
      code: -32603,
      message: "internal error",
    });
  });

  test("is the answer if the servers lie", async () => {
    const liar = (lie: (proof: { accountProof: string[] }) => object) =>
      serving(
        provider(async ({ method, params }) => {
          const answer = await chain.execution(method, params);
          return method === "eth_getProof" ? lie(answer as { accountProof: string[] }) : answer;
        }),
      );
    const lying = await liar((proof) => ({ ...proof, balance: "0x2" }));
    const { error, ...others } = await ask(lying, "eth_getBalance", RICH, "latest");
    expect(error).toMatchObject({ code: -32002, data: { reason: "account_mismatch" } });
    expect(others).not.toHaveProperty("result");
    // A call reads what the proof says, and nothing beside it.
    const call = { to: HISTORY, data: word(0x35) };
    expect((await ask(lying, "eth_call", call)).result).toBe(hashOf(chain, 0x35));
    const forging = await liar(({ accountProof, ...proof }) => ({
      ...proof,
      accountProof: accountProof.map((node) =>
        node.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")),
      ),
    }));
    const forged = await ask(forging, "eth_call", call);
    expect(forged).toMatchObject({ error: { code: -32002 } });
    expect(forged).not.toHaveProperty("result");
    const client = createPublicClient({ transport: http(lying, { retryCount: 0 }) });
    await expect(client.getBalance({ address: RICH })).rejects.toThrow();
    const ethers = new JsonRpcProvider(lying);
    await expect(ethers.getBalance(RICH)).rejects.toThrow();
    ethers.destroy();
  });
});

describe("limits", () => {
  test("a batch has at most 100 requests", async () => {
    const batch = (count: number) => Array.from({ length: count }, () => rpc("eth_chainId"));
    expect(await post(url, batch(100))).toHaveLength(100);
    expect(await post(url, batch(101))).toMatchObject({ id: null, error: { code: -32005 } });
  });

  test("the replies to a batch are bounded together", async () => {
    const long = await serving(
      { request: () => Promise.resolve("x".repeat(600)) },
      { limits: { batchReply: 1500 } },
    );
    const batch = [rpc("a"), rpc("b"), rpc("c")];
    expect(await post(long, batch)).toMatchObject([
      { result: expect.any(String) as string },
      { result: expect.any(String) as string },
      { id: 7, error: { code: -32005 } },
    ]);
  });

  test("a body has at most a MiB, and its sender learns that", async () => {
    const body = (bytes: number) => {
      const text = JSON.stringify(rpc("eth_chainId"));
      return text + " ".repeat(bytes - text.length);
    };
    expect(await post(url, body(1024 * 1024))).toHaveProperty("result");
    for (const bytes of [1024 * 1024 + 1, 8 * 1024 * 1024]) {
      const reply = await send(url, { body: body(bytes) });
      expect(reply).toMatchObject({ status: 200, headers: { connection: "close" } });
      expect(JSON.parse(reply.text)).toMatchObject({ id: null, error: { code: -32005 } });
    }
  });

  test("few requests are at work at once, others wait, and the rest are refused", async () => {
    const work: (() => void)[] = [];
    let most = 0;
    const slow = await serving(
      {
        request: () =>
          new Promise((resolve) => {
            work.push(() => {
              resolve("0x1");
            });
            most = Math.max(most, work.length);
          }),
      },
      { limits: { running: 2, waiting: 3 } },
    );
    const replies = Array.from({ length: 6 }, () => ask(slow, "eth_x"));
    const refused = await Promise.race(replies);
    expect(refused.error).toMatchObject({ code: -32005 });
    while (work.length > 0 || most < 2) {
      work.shift()?.();
      await delay(5);
    }
    const all = await Promise.all(replies);
    expect(all.filter(({ result }) => result === "0x1")).toHaveLength(5);
    expect(most).toBe(2);
  });

  test("a request for which nobody waits any more is not sent", async () => {
    const asked: string[] = [];
    const work: (() => void)[] = [];
    const endpoint = new Endpoint(
      {
        async request({ method }) {
          asked.push(method);
          await new Promise<void>((resolve) => work.push(resolve));
          return null;
        },
      },
      { limits: { running: 1 } },
    );
    const body = (method: string) => Buffer.from(JSON.stringify(rpc(method)));
    const gone = new AbortController();
    const first = endpoint.answer(body("first"));
    const second = endpoint.answer(body("second"), gone.signal);
    const third = endpoint.answer(body("third"));
    gone.abort();
    await delay(0);
    work.shift()?.();
    await Promise.all([first, second]);
    work.shift()?.();
    await third;
    expect(asked).toEqual(["first", "third"]);
  });

  test("before the first head, requests wait, but not many and not long", async () => {
    const gate = new StartGate(2, 50);
    const early = await serving({ request: () => Promise.resolve("0x1") }, { gate });
    expect((await ask(early, "web3_clientVersion")).result).toMatch(/^prooflight/);
    const replies = await Promise.all([1, 2, 3].map(() => ask(early, "eth_chainId")));
    expect(replies.map(({ error }) => error?.code).sort()).toEqual([-32001, -32001, -32005]);
    const waiting = ask(early, "eth_chainId");
    await delay(10);
    gate.open();
    expect((await waiting).result).toBe("0x1");
    expect((await ask(early, "eth_chainId")).result).toBe("0x1");
  });
});

describe("hosts and origins", () => {
  const body = JSON.stringify(rpc("eth_chainId"));
  const port = () => new URL(url).port;
  let open: string;
  beforeAll(async () => {
    const hosts = ["eth.example", "other.example:99"];
    const origins = ["https://app.example", "HTTP://Localhost:3000", "https://x.example:443"];
    open = await serving(provider(), { guard: { hosts, origins } });
  });

  test.each(["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])(
    "%s is this machine",
    async (name) => {
      expect((await send(url, { body, headers: { host: `${name}:${port()}` } })).status).toBe(200);
      expect((await send(url, { body, headers: { host: `${name}:1` } })).status).toBe(403);
      expect((await send(url, { body, headers: { host: name } })).status).toBe(403);
    },
  );

  test.each([
    ...["evil.example", "127.0.0.1.evil.example", "localhost.", "localhost.evil.example"],
    ...["user@localhost", "127.1", "0.0.0.0", "192.168.0.1", "localhost:1:2", ""],
  ])("%j is another host, and refused", async (name) => {
    for (const path of ["/", "/health"]) {
      const { status, text } = await send(url, {
        ...{ body, path },
        headers: { host: `${name}:${port()}` },
      });
      expect(status).toBe(403);
      expect(text).toContain("--host NAME");
    }
  });

  test("--host allows a name, with any port or with its own", async () => {
    const statusOf = async (host: string) => (await send(open, { body, headers: { host } })).status;
    expect(await statusOf("eth.example")).toBe(200);
    expect(await statusOf("ETH.example:1234")).toBe(200);
    expect(await statusOf("other.example:99")).toBe(200);
    expect(await statusOf("other.example:98")).toBe(403);
    expect(await statusOf("other.example")).toBe(403);
    expect(await statusOf("sub.eth.example")).toBe(403);
    expect(() => new Guard({ hosts: ["http://eth.example"] })).toThrow(/--host NAME/);
  });

  test.each([
    "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn",
    "moz-extension://bd1b9f5e-7d3b-4a1c-9c2e-0a4a4a1f3e11",
    "safari-web-extension://2D9C7A1E-1111-2222-3333-444455556666",
  ])("%s is answered", async (origin) => {
    const { status, headers } = await send(url, { body, headers: { origin } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "access-control-allow-origin": origin, vary: "origin" });
  });

  test.each([
    ...["https://evil.example", "null", "http://localhost", "http://127.0.0.1:8545", "file://"],
    ...["chrome-extension://", "https://chrome-extension://abc", "x-chrome-extension://abc", ""],
  ])("the origin %j is refused", async (origin) => {
    for (const sent of [{ body }, { path: "/health" }, { method: "OPTIONS" }]) {
      const { status, headers, text } = await send(url, { ...sent, headers: { origin } });
      expect(status).toBe(403);
      expect(headers).not.toHaveProperty("access-control-allow-origin");
      expect(text).toContain("--origin ORIGIN");
    }
  });

  test("--origin allows an origin, as browsers write it", async () => {
    const statusOf = async (origin: string) =>
      (await send(open, { body, headers: { origin } })).status;
    expect(await statusOf("https://app.example")).toBe(200);
    expect(await statusOf("http://localhost:3000")).toBe(200);
    expect(await statusOf("https://x.example")).toBe(200);
    expect(await statusOf("http://app.example")).toBe(403);
    expect(await statusOf("https://app.example:444")).toBe(403);
    expect(await statusOf("https://app.example.evil.example")).toBe(403);
    for (const wrong of ["app.example", "*", "https://app.example/path", "null", "https://a@b"]) {
      expect(() => new Guard({ origins: [wrong] })).toThrow(/--origin ORIGIN/);
    }
  });

  test("preflights of allowed origins are answered", async () => {
    const preflight = (more: object) =>
      send(open, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
          ...more,
        },
      });
    const { status, headers } = await preflight({});
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": expect.stringContaining("POST") as string,
      "access-control-allow-headers": "*",
    });
    expect(headers).not.toHaveProperty("access-control-allow-private-network");
    const local = await preflight({ "access-control-request-private-network": "true" });
    expect(local.headers["access-control-allow-private-network"]).toBe("true");
  });
});

test("other requests than JSON-RPC", async () => {
  expect(await send(url, {})).toMatchObject({ status: 200, text: "a line for people\n" });
  expect(await send(url, { path: "/health?x" })).toMatchObject({
    status: 200,
    text: '{"ok":true}',
  });
  expect((await send(url, { path: "/other" })).status).toBe(404);
  expect((await send(url, { path: "/rpc", body: "{}" })).status).toBe(404);
  expect((await send(url, { method: "PUT", body: "{}" })).status).toBe(405);
  expect((await send(url, { method: "DELETE" })).status).toBe(405);
});

test("a connection that breaks, or is no HTTP, harms nobody", async () => {
  const { port } = new URL(url);
  const head = `POST / HTTP/1.1\r\nhost: localhost:${port}\r\n`;
  for (const sent of [
    `${head}content-length: 100\r\n\r\n{"jsonrpc"`,
    `${head}transfer-encoding: chunked\r\n\r\nxyz\r\n`,
    "GET / HTTP/1.0\r\n\r\n",
    "\u0016\u0003\u0001",
  ]) {
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.on("error", () => undefined);
    socket.write(sent);
    await delay(10);
    socket.destroy();
  }
  expect((await ask(url, "eth_chainId")).result).toBeDefined();
});

test("a failure is printed once a minute for each server and reason", () => {
  const printed: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    return printed.push(String(text)) > 0;
  });
  try {
    const log = new FailureLog();
    const report = (host: string, reason: Reason) => {
      log.report({ url: `https://${host}/`, error: refusal("unavailable", reason) });
    };
    report("a.example", "unreachable");
    report("a.example", "unreachable");
    report("b.example", "unreachable");
    report("a.example", "server_error");
    report("b.example", "unreachable");
  } finally {
    stderr.mockRestore();
  }
  expect(printed.map((text) => text.split("\n")[0])).toEqual([
    "prooflight: a.example: unavailable / unreachable",
    "prooflight: b.example: unavailable / unreachable",
    "prooflight: a.example: unavailable / server_error",
  ]);
});

/** Follows a provider for some milliseconds after its first head, with what was printed. */
async function following(request: () => Promise<unknown>) {
  const printed: string[] = [];
  const [stdout, stderr] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation((text) => printed.push(String(text)) > 0),
  );
  const [watch, gate, end] = [new HeadWatch({ request }), new StartGate(), new AbortController()];
  const service = { watch, gate, beacon: undefined, kept: undefined, json: true, network: "x" };
  const done = followHeads(service, end.signal, 1).finally(() => {
    stdout?.mockRestore();
    stderr?.mockRestore();
  });
  await Promise.race([done, delay(100)]).finally(() => {
    end.abort();
  });
  await done;
  return { watch, printed };
}

const refusal = (code: "untrusted" | "unavailable", reason: Reason) =>
  new VerifyError({ code, reason, message: "m", expected: "e", found: "f" });

const failure = (...of: Parameters<typeof refusal>) => new ProviderError(refusal(...of));

describe("the newest head", () => {
  const block = { number: "0x10", hash: "0xab", timestamp: "0x20" };

  test("stays known while servers fail, and grows old", async () => {
    let count = 0;
    const { watch, printed } = await following(async () => {
      await Promise.resolve();
      if (++count > 1) throw failure("unavailable", "unreachable");
      return block;
    });
    expect(count).toBeGreaterThan(2);
    expect(watch.health("x")).toMatchObject({ ok: true, head: { number: 16, hash: "0xab" } });
    expect(printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        event: "head",
        network: "x",
        block: { number: "16", hash: "0xab", timestamp: "32" },
      },
    ]);
  });

  test("is forgotten for good if finalized blocks contradict each other", async () => {
    let count = 0;
    const { watch, printed } = await following(async () => {
      await Promise.resolve();
      if (++count > 1) throw failure("untrusted", "conflicting_finality");
      return block;
    });
    expect(count).toBe(2);
    expect(watch.health("x")).toEqual({ ok: false, network: "x" });
    expect(JSON.parse(printed[1] ?? "")).toMatchObject({
      event: "stopped",
      error: { reason: "conflicting_finality" },
    });
  });

  test("is not waited for if there can be none", async () => {
    for (const reason of ["conflicting_finality", "head_too_old"] as const) {
      const asking = following(() => Promise.reject(failure("untrusted", reason)));
      await expect(asking).rejects.toMatchObject({ reason });
    }
  });
});

/** A recorded head with an account, on a network with a name. */
const recorded = signed.find(({ one, head }) => {
  const { stateRoot } = head.blockAt(head.number)?.json ?? {};
  return proofsIn(one.replies, stateRoot as never).length > 0;
});
if (!recorded) {
  const remark = "serve lacks: a signed head with an account";
  console.log(remark);
  test.skip(remark, () => undefined);
}

/** A command that serves, with the lines that it has printed. */
class Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[] = [];
  stderr = "";

  constructor(args: readonly string[]) {
    this.child = startCommand(["eth", "serve", "--listen", "127.0.0.1:0", ...args]);
    createInterface(this.child.stdout).on("line", (line) => this.lines.push(line));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
  }

  /** Waits for a line of JSON with this event. */
  async event(name: string): Promise<Record<string, unknown>> {
    for (;;) {
      const found = this.lines.find((line) => line.includes(`"event":"${name}"`));
      if (found !== undefined) return JSON.parse(found) as Record<string, unknown>;
      if (this.child.exitCode !== null) throw new Error(`ended: ${this.stderr}`);
      await delay(20);
    }
  }

  async end(signal: "SIGINT" | "SIGTERM"): Promise<number | null> {
    this.child.kill(signal);
    const [code] = (await once(this.child, "close")) as [number | null];
    return code;
  }
}

describe.runIf(recorded)("the command", () => {
  let one: SignedHead["one"];
  let head: SignedHead["head"];
  const old = ["--max-checkpoint-age", "100000"];
  let servers: string;
  const asked: string[] = [];
  beforeAll(async () => {
    if (!recorded) throw new Error("no such head");
    ({ one, head } = recorded);
    const answers = honest(head);
    const server = await listen((question) => {
      asked.push("path" in question ? question.path : question.method);
      return answers(question);
    });
    closing.push(server.close);
    servers = server.url;
  });
  const options = (execution = [servers], beacon = [servers]) => [
    ...["--network", head.network, "--checkpoint", head.checkpoint, ...old],
    ...beacon.flatMap((url) => ["--beacon", url]),
    ...execution.flatMap((url) => ["--execution", url]),
  ];
  const accounts = () =>
    proofsIn(one.replies, head.blockAt(head.number)?.json["stateRoot"] as never);

  test("answers from the head, keeps the state, and ends with a signal", async () => {
    const file = join(folder, "state");
    const command = new Running([...options(), "--state", file, "--json"]);
    const { url } = (await command.event("serving")) as { url: string };
    const first = await command.event("head");
    expect(first).toMatchObject({ network: head.network, block: { hash: head.hash } });
    const health = await send(url, { path: "/health" });
    expect(health.status).toBe(200);
    expect(JSON.parse(health.text)).toMatchObject({
      ok: true,
      network: head.network,
      head: { number: Number(head.number), hash: head.hash },
      ageSeconds: expect.any(Number) as number,
    });
    expect((await send(url, {})).text).toContain(head.network);
    const [account] = accounts();
    const { result } = await ask(url, "eth_getBalance", account?.address, "latest");
    expect(BigInt(result as string)).toBe(BigInt(account?.balance ?? -1));
    expect(await command.end("SIGTERM")).toBe(0);
    expect(command.stderr).toBe("");
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const before = asked.length;
    const withoutCheckpoint = options().filter((_, at) => at !== 2 && at !== 3);
    const again = new Running([...withoutCheckpoint, "--state", file]);
    while (!again.lines.some((line) => line.includes("verified  the head"))) {
      expect(again.child.exitCode).toBe(null);
      await delay(20);
    }
    expect(again.lines[0]).toMatch(
      new RegExp(`^serving ${head.network}, verified, at http://127.0.0.1:\\d+$`),
    );
    expect(again.lines.join("\n")).toContain(`from       the state in ${file}`);
    expect(again.lines.join("\n")).toContain(`block ${head.number}`);
    expect(asked.slice(before).filter((path) => path.includes("bootstrap"))).toEqual([]);
    expect(await again.end("SIGINT")).toBe(0);
    expect(readFileSync(file).length).toBeGreaterThan(100);
  });

  test("names the server that lies, and gives errors but no other answer", async () => {
    const lying = await listen((question) => {
      const answer = honest(head)(question);
      return "method" in question && question.method === "eth_getProof"
        ? { ...(answer as object), balance: "0x2" }
        : answer;
    });
    closing.push(lying.close);
    const command = new Running([...options([lying.url]), "--json"]);
    const { url } = (await command.event("serving")) as { url: string };
    await command.event("head");
    const [account] = accounts();
    for (let count = 0; count < 3; count++) {
      const reply = await ask(url, "eth_getBalance", account?.address, "latest");
      expect(reply.error).toMatchObject({ code: -32002, data: { reason: "account_mismatch" } });
      expect(reply).not.toHaveProperty("result");
    }
    expect(await command.end("SIGTERM")).toBe(0);
    const named = `prooflight: ${new URL(lying.url).host}: mismatch / account_mismatch`;
    expect(command.stderr.split("\n").filter((line) => line === named)).toHaveLength(1);
  });

  test("waits for a head, says why there is none, and ends at once", async () => {
    const nowhere = "http://127.0.0.1:1";
    const command = new Running([...options([nowhere], [nowhere]), "--json"]);
    const { url } = (await command.event("serving")) as { url: string };
    const waiting = ask(url, "eth_blockNumber").catch((error: unknown) => error);
    while (!command.stderr.includes("unreachable")) await delay(20);
    const health = await send(url, { path: "/health" });
    expect(health.status).toBe(503);
    expect(JSON.parse(health.text)).toEqual({ ok: false, network: head.network });
    expect(await command.end("SIGTERM")).toBe(0);
    expect(await waiting).toBeInstanceOf(Error);
    expect(command.stderr.match(/unreachable/g)).toHaveLength(1);
  });

  test("ends if the checkpoint is too old", async () => {
    const young = options().filter((option) => !old.includes(option));
    const { status, stderr } = await run("eth", "serve", "--listen", "127.0.0.1:0", ...young);
    expect(status).toBe(1);
    expect(stderr).toContain("untrusted / head_too_old");
  });

  test("needs a port that is free", async () => {
    const taken = createServer();
    const { url, close } = await start(taken);
    closing.push(close);
    const at = new URL(url).host;
    const { status, stdout, stderr } = await run("eth", "serve", "--listen", at, ...options());
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`--listen ${at} to be free`);
    expect(stderr).toContain("a port that another program uses");
  });

  test.each([
    ["an address", ["--listen", "8545"], /--listen HOST:PORT/],
    ["a port", ["--listen", "127.0.0.1:65536"], /--listen HOST:PORT/],
    ["a host", ["--host", "http://x"], /--host NAME/],
    ["an origin", ["--origin", "*"], /--origin ORIGIN/],
    ["a known network", ["--network", "morden"], /mainnet, sepolia, hoodi/],
    ["only its own options", ["--slot", "0x0"], /eth serve takes no --slot/],
    ["no argument", ["x"], /eth serve takes no arguments/],
  ])("needs %s", async (_, args, problem) => {
    const { status, stdout, stderr } = await run("eth", "serve", ...options(), ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(problem);
  });

  test("needs a file for the state that can be written", async () => {
    const file = join(folder, "nowhere", "state");
    const args = ["--listen", "127.0.0.1:0", ...options(), "--state", file];
    const { status, stderr } = await run("eth", "serve", ...args);
    expect(status).toBe(2);
    expect(stderr).toContain("--state FILE that can be written");
  });

  test("does not serve from a state that is none", async () => {
    const file = join(folder, "broken");
    writeFileSync(file, "nothing");
    const args = ["--listen", "127.0.0.1:0", ...options(), "--state", file];
    const { status, stdout } = await run("eth", "serve", ...args);
    expect(status).not.toBe(0);
    expect(stdout).toBe("");
  });
});

describe("a checkpoint of several beacon nodes", () => {
  const root = (digit: number) => `0x${String(digit).repeat(64)}`;
  /** A node with blocks at these slots, of which one is finalized. */
  async function node(finalized: number, blocks: Readonly<Record<number, string>>) {
    const header = (slot: number) => ({
      data: { root: blocks[slot], canonical: true, header: { message: { slot: String(slot) } } },
    });
    const { url, close } = await listen((asked) => {
      if (!("path" in asked)) return undefined;
      const [, id = ""] = /^\/eth\/v1\/beacon\/headers\/(\w+)$/.exec(asked.path) ?? [];
      if (id === "finalized") return header(finalized);
      return blocks[Number(id)] === undefined ? undefined : header(Number(id));
    });
    closing.push(close);
    return url;
  }
  /** The same server under another host. */
  const other = (url: string) => url.replace("127.0.0.1", "localhost");
  const checkpoint = (...urls: string[]) =>
    run("eth", "checkpoint", ...urls.flatMap((url) => ["--beacon", url]), "--json");

  test("is the finalized block on which all agree", async () => {
    const blocks = { 64: root(1), 96: root(2) };
    const urls = [await node(64, blocks), other(await node(64, blocks))];
    const { status, stdout } = await checkpoint(...urls);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ agreed: true, network: "mainnet", checkpoint: root(1) },
      ...{ slot: "64", timestamp: String(1_606_824_023 + 64 * 12) },
    });
    const shown = await run("eth", "checkpoint", ...urls.flatMap((url) => ["--beacon", url]));
    expect(shown.stdout).toMatch(new RegExp(`^✔ agreed {2}${root(1)}\n`));
    expect(shown.stdout).toMatch(/slot +64 {2}2020-12-01T12:13:11.000Z {2}\d+ days old/);
    expect(shown.stdout).toContain("as good as the most honest of these servers");
    for (const url of urls) expect(shown.stdout).toContain(new URL(url).host);
  });

  test("is the lowest one if a node is behind", async () => {
    const ahead = await node(96, { 64: root(1), 96: root(2) });
    const behind = other(await node(64, { 64: root(1) }));
    for (const urls of [
      [ahead, behind],
      [behind, ahead],
    ]) {
      const { status, stdout } = await checkpoint(...urls);
      expect(status).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ checkpoint: root(1), slot: "64" });
    }
  });

  test("is refused if they disagree, with what each says", async () => {
    const honest = await node(96, { 64: root(1), 96: root(2) });
    for (const [liar, said] of [
      [await node(96, { 96: root(3) }), root(3)],
      [await node(64, { 64: root(3) }), root(3)],
      [await node(63, { 63: root(3) }), "no block"],
    ] as const) {
      const urls = [honest, other(liar)];
      const { status, stdout } = await checkpoint(...urls);
      expect(status).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ agreed: false, checkpoint: null });
      const shown = await run("eth", "checkpoint", ...urls.flatMap((url) => ["--beacon", url]));
      expect(shown.status).toBe(1);
      expect(shown.stdout).toMatch(/^✘ no agreement {2}about the block at slot \d+\n/);
      expect(shown.stdout).toContain(said);
      for (const url of urls) expect(shown.stdout).toContain(new URL(url).host);
    }
  });

  test("needs an answer of every node, in its form", async () => {
    const honest = await node(64, { 64: root(1) });
    const silent = await checkpoint(honest, "http://localhost:1");
    expect(silent).toMatchObject({ status: 3 });
    const { url, close } = await listen(() => ({ data: { root: "0x12" } }));
    closing.push(close);
    const malformed = await checkpoint(honest, other(url));
    expect(malformed.status).toBe(3);
    expect(malformed.stderr).toContain("a header with its root");
  });

  test("needs two hosts", async () => {
    const [one, two] = [await node(64, { 64: root(1) }), await node(64, { 64: root(1) })];
    for (const urls of [[], [one], [one, one], [one, two], [`${one}/a`, `${one}/b`]]) {
      const { status, stdout } = await checkpoint(...urls);
      expect(status).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({ error: { reason: "invalid_argument" } });
    }
  });
});
