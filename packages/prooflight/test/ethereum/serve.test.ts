/** `prooflight eth serve`: what programs get over HTTP, from an executed chain. */

import { JsonRpcProvider } from "ethers";
import { createPublicClient, http } from "viem";
import { beforeAll, describe, expect, test } from "vitest";

import {
  ask,
  HEAD,
  HISTORY,
  post,
  RICH,
  rpc,
  send,
  servedProvider,
  serving,
  word,
} from "./endpoint.js";
import { type ExecutionChain, executeChain } from "./execution-chain.js";
import { hashOf } from "./provider-of.js";

let chain: ExecutionChain;
let url: string;
beforeAll(async () => {
  chain = await executeChain();
  url = await serving(servedProvider(chain));
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
        servedProvider(chain, async ({ method, params }) => {
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
