/** `prooflight eth serve` over WebSocket: what programs get, subscriptions, and the bounds of connections. */

import { once } from "node:events";
import { createConnection } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { WebSocketProvider } from "ethers";
import { createPublicClient, webSocket } from "viem";
import { beforeAll, describe, expect, test } from "vitest";

import { loadSockets } from "../../src/cli/ethereum/serve/socket.js";
import type { NetworkProviderOptions } from "../../src/provider.js";
import { closing, HEAD, HISTORY, RICH, rpc, servedProvider, serving, word } from "./endpoint.js";
import { type ExecutionChain, executeChain } from "./execution-chain.js";
import { hashOf, providerOf } from "./provider-of.js";

type Json = Record<string, unknown>;

/** The part of a WebSocket of `ws` that the tests use. */
interface Socket extends NodeJS.EventEmitter {
  send(text: string | Uint8Array): void;
  close(): void;
  terminate(): void;
  pause(): void;
}

type SocketClass = new (url: string, options?: Json) => Socket;
const { WebSocket } = (await loadSockets()) as unknown as { WebSocket: SocketClass };

let chain: ExecutionChain;
let url: string;
beforeAll(async () => {
  chain = await executeChain();
  url = await serving(servedProvider(chain));
});

const socketUrl = (of: string) => of.replace("http", "ws");

/** A connection, with the messages that it received. */
async function connected(to: string, options: Json = {}) {
  const socket = new WebSocket(socketUrl(to), options);
  const received: Json[] = [];
  socket.on("message", (data) => received.push(JSON.parse(String(data)) as Json));
  socket.on("error", () => undefined);
  closing.push(() => {
    socket.terminate();
  });
  await once(socket, "open");
  const send = (json: unknown) => {
    socket.send(JSON.stringify(json));
  };
  const next = async (): Promise<Json> => {
    await expect.poll(() => received.length).toBeGreaterThan(0);
    return received.shift() ?? {};
  };
  const ask = async (method: string, ...params: unknown[]) => {
    send(rpc(method, ...params));
    return next();
  };
  const closed = once(socket, "close").then(([code]) => code as number);
  return { socket, received, send, next, ask, closed };
}

/** The status with which a connection is refused. */
async function statusOf(to: string, options: Json = {}): Promise<number> {
  const socket = new WebSocket(to, options);
  socket.on("error", () => undefined);
  const [, response] = (await once(socket, "unexpected-response")) as [
    unknown,
    { statusCode: number },
  ];
  socket.terminate();
  return response.statusCode;
}

/** A provider whose head moves on. */
function moving(first: number, options: Partial<NetworkProviderOptions> = {}) {
  let head = first;
  const heads = () => ({ latest: hashOf(chain, head) });
  const more = { fork: "osaka", maxWalk: 64, heads, pollInterval: 50 } as const;
  return {
    ...providerOf(chain, { ...more, ...options }),
    move: (to: number) => {
      head = to;
    },
  };
}

describe("programs read over WebSocket", () => {
  test("with viem, and hear of new blocks", async () => {
    const { provider, move } = moving(HEAD - 1);
    const client = createPublicClient({ transport: webSocket(socketUrl(await serving(provider))) });
    const [number, balance, { data }] = await Promise.all([
      client.getBlockNumber({ cacheTime: 0 }),
      client.getBalance({ address: RICH }),
      client.call({ to: HISTORY, data: word(0x34) }),
    ]);
    expect(number).toBe(BigInt(HEAD - 1));
    expect(balance).toBeGreaterThan(10n ** 30n);
    expect(data).toBe(hashOf(chain, 0x34));
    const blocks: unknown[] = [];
    const unwatch = client.watchBlocks({
      onBlock: (block) => blocks.push(block.hash),
      emitOnBegin: false,
    });
    // The subscription begins with the head of its time.
    await delay(200);
    move(HEAD);
    await expect.poll(() => blocks).toEqual([hashOf(chain, HEAD)]);
    unwatch();
    const socket = await client.transport.getRpcClient();
    socket.close();
  });

  test("with ethers, and hear of new blocks", async () => {
    const { provider, move } = moving(HEAD - 1);
    const ethers = new WebSocketProvider(socketUrl(await serving(provider)));
    const [balance, block] = await Promise.all([ethers.getBalance(RICH), ethers.getBlock(0x2a)]);
    expect(balance).toBeGreaterThan(10n ** 30n);
    expect(block?.hash).toBe(hashOf(chain, 0x2a));
    const blocks: number[] = [];
    await ethers.on("block", (number: number) => blocks.push(number));
    await delay(200);
    move(HEAD);
    await expect.poll(() => blocks).toEqual([HEAD]);
    await ethers.destroy();
  });

  test("in batches and one by one, with the errors of HTTP", async () => {
    const { socket, send, next, ask } = await connected(url);
    send([
      { ...rpc("eth_blockNumber"), id: "a" },
      { ...rpc("anvil_nodeInfo"), id: "b" },
    ]);
    expect(await next()).toMatchObject([
      { id: "a", result: "0x36" },
      { id: "b", error: { code: -32601 } },
    ]);
    expect((await ask("eth_call", { data: "0x5f5ffd" }))["error"]).toMatchObject({ code: 3 });
    socket.send("{");
    expect(await next()).toMatchObject({ id: null, error: { code: -32700 } });
    socket.send(Buffer.from(JSON.stringify(rpc("eth_chainId"))));
    expect(await next()).toHaveProperty("result");
    // A notification has no reply.
    send({ jsonrpc: "2.0", method: "eth_chainId" });
    expect((await ask("web3_clientVersion"))["result"]).toMatch(/^prooflight/);
  });
});

describe("a subscription", () => {
  test("to logs has all of them", async () => {
    const { provider, ask: direct, move } = moving(1);
    const { ask, received } = await connected(await serving(provider));
    const { result: id } = await ask("eth_subscribe", "logs", {});
    expect(id).toMatch(/^0x/);
    move(8);
    const expected = await direct("eth_getLogs", { fromBlock: "0x2", toBlock: "0x8" });
    expect((expected as unknown[]).length).toBeGreaterThan(3);
    const found = () =>
      received.map(({ method, params }) => {
        expect([method, (params as Json)["subscription"]]).toEqual(["eth_subscription", id]);
        return (params as Json)["result"];
      });
    await expect.poll(found, { timeout: 30_000 }).toEqual(expected);
  });

  test("is heard of, and ended, by its own connection alone", async () => {
    const { provider, move } = moving(HEAD - 2);
    const served = await serving(provider);
    const [one, other] = [await connected(served), await connected(served)];
    const { result: id } = await one.ask("eth_subscribe", "newHeads");
    expect((await other.ask("eth_unsubscribe", id))["result"]).toBe(false);
    move(HEAD - 1);
    expect(await one.next()).toMatchObject({ params: { result: { number: "0x35" } } });
    expect((await one.ask("eth_unsubscribe", id))["result"]).toBe(true);
    expect((await one.ask("eth_unsubscribe", id))["result"]).toBe(false);
    move(HEAD);
    await delay(200);
    expect([...one.received, ...other.received]).toEqual([]);
  });

  test("is heard of after its id, though it is opened in a batch", async () => {
    const { provider, move } = moving(HEAD - 1);
    let slow: (() => void) | undefined;
    const waiting = new Promise<void>((resolve) => (slow = resolve));
    const served = await serving({
      ...provider,
      request: async (asked) => {
        if (asked.method === "eth_gasPrice") await waiting;
        return provider.request(asked);
      },
    });
    const { send, next, received } = await connected(served);
    send([rpc("eth_subscribe", "newHeads"), rpc("eth_gasPrice")]);
    await delay(100);
    move(HEAD);
    await delay(200);
    expect(received).toEqual([]);
    slow?.();
    expect(await next()).toHaveLength(2);
    expect(await next()).toMatchObject({ method: "eth_subscription" });
  });

  test("is one of few, which are free once their connection has ended", async () => {
    const { provider } = moving(HEAD, { pollInterval: 4000 });
    const served = await serving(provider);
    // The provider has 64.
    for (let round = 0; round < 6; round++) {
      const { socket, ask, closed } = await connected(served);
      for (let count = 0; count < 16; count++) {
        expect(await ask("eth_subscribe", "newHeads")).toHaveProperty("result");
      }
      expect(await ask("eth_subscribe", "newHeads")).toMatchObject({
        error: { code: -32005, data: { reason: "busy" } },
      });
      socket.close();
      await closed;
      await delay(20);
    }
  });

  test("of another kind is refused", async () => {
    const { ask } = await connected(url);
    for (const kind of ["newPendingTransactions", "syncing"]) {
      expect(await ask("eth_subscribe", kind)).toMatchObject({ error: { code: 4200 } });
    }
  });
});

describe("a connection", () => {
  test("is ended when it is refused, also if its program keeps its own side open", async () => {
    const socket = createConnection({
      ...{ host: "127.0.0.1", port: Number(new URL(url).port) },
      allowHalfOpen: true,
    });
    socket.on("error", () => undefined);
    socket.resume();
    socket.write("GET / HTTP/1.1\r\nhost: evil.example\r\n");
    socket.write("connection: Upgrade\r\nupgrade: websocket\r\n\r\n");
    await once(socket, "end");
    // To a socket that is still there, one may write.
    await expect
      .poll(() => {
        if (!socket.destroyed) socket.write("more");
        return socket.destroyed;
      })
      .toBe(true);
  });

  test("is refused to another host, origin or path, as over HTTP", async () => {
    const at = socketUrl(url);
    expect(await statusOf(at, { headers: { host: "evil.example" } })).toBe(403);
    expect(await statusOf(at, { origin: "https://evil.example" })).toBe(403);
    expect(await statusOf(at, { origin: "null" })).toBe(403);
    expect(await statusOf(`${at}/other`)).toBe(404);
    const origin = "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn";
    const { ask } = await connected(url, { origin });
    expect(await ask("eth_chainId")).toHaveProperty("result");
  });

  test("is one of few", async () => {
    const few = await serving(servedProvider(chain), { sockets: { connections: 2 } });
    const [first] = [await connected(few), await connected(few)];
    expect(await statusOf(socketUrl(few))).toBe(503);
    first.socket.close();
    await first.closed;
    await delay(20);
    expect(await (await connected(few)).ask("eth_chainId")).toHaveProperty("result");
  });

  test("ends with a message of more than a MiB", async () => {
    const { socket, ask, closed } = await connected(url);
    const message = JSON.stringify(rpc("eth_chainId"));
    socket.send(message + " ".repeat(1024 * 1024 - message.length));
    expect(await ask("eth_chainId")).toHaveProperty("result");
    socket.send(message + " ".repeat(1024 * 1024 + 1 - message.length));
    expect(await closed).toBe(1009);
  });

  test("has few messages at work", async () => {
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
      { sockets: { messages: 2 } },
    );
    const { send, received } = await connected(slow);
    for (let count = 0; count < 50; count++) send(rpc("eth_x"));
    while (received.length < 50) {
      work.shift()?.();
      await delay(1);
    }
    expect(most).toBe(2);
  });

  test("ends if its program does not read", async () => {
    let notify: (message: unknown) => void = () => undefined;
    const noisy = await serving(
      {
        request: () => Promise.resolve("0x1"),
        on: (_: string, listener: (message: unknown) => void) => {
          notify = listener;
        },
      } as never,
      { sockets: { bufferedBytes: 1024 * 1024 } },
    );
    const { socket, ask, closed } = await connected(noisy);
    await ask("eth_subscribe", "newHeads");
    socket.pause();
    const data = { subscription: "0x1", result: "x".repeat(1024 * 1024) };
    for (let count = 0; count < 100; count++) notify({ type: "eth_subscription", data });
    await delay(20);
    // Nothing is read of a connection that is paused, its end neither.
    (socket as unknown as { resume(): void }).resume();
    expect(await closed).toBe(1006);
  });

  test("ends if it does not answer pings", async () => {
    const pinging = await serving(servedProvider(chain), { sockets: { pingInterval: 50 } });
    const alive = await connected(pinging);
    const dead = await connected(pinging, { autoPong: false });
    expect(await dead.closed).toBe(1006);
    expect(await alive.ask("eth_chainId")).toHaveProperty("result");
  });

  test("that breaks harms nobody", async () => {
    for (const break_ of [
      ({ socket }: { socket: Socket }) => {
        socket.terminate();
      },
      ({ socket }: { socket: Socket }) => {
        (socket as unknown as { _socket: { write(text: string): void } })._socket.write("no frame");
      },
    ]) {
      const connection = await connected(url);
      connection.send(rpc("eth_getBalance", RICH, "latest"));
      break_(connection);
      await connection.closed;
    }
    expect(await (await connected(url)).ask("eth_chainId")).toHaveProperty("result");
  });
});
