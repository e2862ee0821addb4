/** `prooflight eth serve`: the bounds of requests, and connections that break. */

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { beforeAll, describe, expect, test } from "vitest";

import { Endpoint } from "../../src/cli/ethereum/serve/endpoint.js";
import { StartGate } from "../../src/cli/ethereum/serve/queue.js";
import { ask, post, rpc, send, servedProvider, serving } from "./endpoint.js";
import { type ExecutionChain, executeChain } from "./execution-chain.js";

let chain: ExecutionChain;
let url: string;
beforeAll(async () => {
  chain = await executeChain();
  url = await serving(servedProvider(chain));
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
