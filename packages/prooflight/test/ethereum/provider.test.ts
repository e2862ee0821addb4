/** What the provider does besides answering: heads that move, filters, several servers, transactions that it sends. */

import { Transaction } from "ethers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createProvider } from "../../src/provider.js";
import { syncing } from "../../src/provider/ethereum/blocks.js";
import { newestReported, type ReportedBlock } from "../../src/provider/ethereum/filters.js";
import { SentTransactions } from "../../src/provider/ethereum/sent.js";
import { readExchanges } from "./execution-apis.js";
import { executeChain } from "./execution-chain.js";
import { hashOf, providerOf, type Question, refusalOf } from "./provider-of.js";

type Hex = `0x${string}`;

const chain = await executeChain();
const CONTRACT = "0x7dcd17433742f4c0ca53122ab541d0ba67fc27df";
const EMPTY = `0x${"00".repeat(32)}`;

/** A provider whose head can be moved. */
function moving(number: number, answer?: (question: Question) => unknown) {
  const head = { number };
  const heads = () => ({ latest: hashOf(chain, head.number) });
  return { head, ...providerOf(chain, { heads, pollInterval: 1000 }, answer) };
}

describe("heads", () => {
  test("move, and with them the newest block", async () => {
    const { head, ask } = moving(50);
    expect(await ask("eth_blockNumber")).toBe("0x32");
    expect(await ask("eth_getBlockByNumber", "0x33", false)).toBe(null);
    head.number = 52;
    expect(await ask("eth_blockNumber")).toBe("0x34");
    expect(await ask("eth_getBlockByNumber", "0x33", false)).toMatchObject({ number: "0x33" });
  });

  test("that are no hashes are refused", async () => {
    const execution = ["http://execution.test"];
    expect(() => createProvider({ execution, chainId: 1, heads: { latest: "0x12" } })).toThrow(
      /heads.latest to be 32 bytes/,
    );
    const provider = createProvider({
      execution,
      chainId: 1,
      heads: () => Promise.reject(new Error("no")),
    });
    const { data } = await refusalOf(provider.request({ method: "eth_blockNumber" }));
    expect(data.reason).toBe("unknown_block");
  });

  test("of a polluted prototype are not trusted", () => {
    const pollution = { heads: { latest: EMPTY }, chainId: 1 };
    for (const [name, value] of Object.entries(pollution)) {
      Object.defineProperty(Object.prototype, name, { value, configurable: true });
    }
    try {
      expect(() => createProvider({ execution: ["http://execution.test"] })).toThrow(/chainId/);
      expect(() =>
        createProvider({ execution: ["http://execution.test"], network: "mainnet" }),
      ).toThrow(/checkpoint|state|beacon/);
    } finally {
      for (const name of Object.keys(pollution)) Reflect.deleteProperty(Object.prototype, name);
    }
  });

  test.each([
    ["no chain id", { heads: { latest: EMPTY } }, /chainId/],
    ["another chain's id", { network: "mainnet", chainId: 5, heads: { latest: EMPTY } }, /chainId/],
    ["no heads", { network: "mainnet" }, /checkpoint and state/],
    ["a misspelt option", { chainId: 1, heads: { latest: EMPTY }, walet: {} }, /walet/],
    ["no wallet", { chainId: 1, heads: { latest: EMPTY }, wallet: {} }, /wallet/],
  ] as const)("need %s", (_, options, message) => {
    const execution = ["http://execution.test"];
    expect(() => createProvider({ execution, ...options } as never)).toThrow(message);
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("filters", () => {
  test("report each new block once", async () => {
    const { head, ask } = moving(50);
    const id = await ask("eth_newBlockFilter");
    expect(await ask("eth_getFilterChanges", id)).toEqual([]);
    head.number = 52;
    const both = [51, 52].map((number) => hashOf(chain, number));
    expect(await ask("eth_getFilterChanges", id)).toEqual(both);
    expect(await ask("eth_getFilterChanges", id)).toEqual([]);
    expect(await ask("eth_uninstallFilter", id)).toBe(true);
    expect(await ask("eth_uninstallFilter", id)).toBe(false);
    expect((await refusalOf(ask("eth_getFilterChanges", id))).code).toBe(-32000);
  });

  test("report logs, and their removal when the chain goes back", async () => {
    const { head, ask } = moving(50);
    const id = await ask("eth_newFilter", { address: CONTRACT, fromBlock: "0x30" });
    head.number = 54;
    const found = (await ask("eth_getFilterChanges", id)) as {
      blockNumber: Hex;
      removed: boolean;
    }[];
    const expected = await ask("eth_getLogs", { address: CONTRACT, fromBlock: "0x33" });
    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(0);
    expect(await ask("eth_getFilterLogs", id)).toEqual(
      await ask("eth_getLogs", { address: CONTRACT, fromBlock: "0x30" }),
    );
    head.number = 52;
    const gone = found.filter(({ blockNumber }) => BigInt(blockNumber) > 52n);
    const removed = (await ask("eth_getFilterChanges", id)) as unknown[];
    expect(new Set(removed)).toEqual(new Set(gone.map((log) => ({ ...log, removed: true }))));
    head.number = 54;
    expect(await ask("eth_getFilterChanges", id)).toEqual(gone);
  });

  test("report nothing twice when they are polled at once", async () => {
    const { head, ask } = moving(50);
    const id = await ask("eth_newBlockFilter");
    head.number = 53;
    const polls = await Promise.all([1, 2, 3].map(() => ask("eth_getFilterChanges", id)));
    expect(polls.flat()).toHaveLength(3);
  });

  test("do not report older blocks as new when the chain goes back", async () => {
    const { head, ask } = moving(52);
    const id = await ask("eth_newBlockFilter");
    head.number = 49;
    expect(await ask("eth_getFilterChanges", id)).toEqual([]);
    head.number = 51;
    const two = [50, 51].map((number) => hashOf(chain, number));
    expect(await ask("eth_getFilterChanges", id)).toEqual(two);
  });

  test("take no hash of a block, which is not new", async () => {
    const { ask } = moving(52);
    const params = { blockHash: hashOf(chain, 50) };
    expect((await refusalOf(ask("eth_newFilter", params))).code).toBe(-32602);
    expect((await refusalOf(ask("eth_subscribe", "logs", params))).code).toBe(-32602);
  });

  const times = <T>(count: number, each: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, each));

  test.each([["eth_newBlockFilter"], ["eth_newFilter", { address: CONTRACT }]])(
    "are at most 64 at once: %s opens no more, and none is dropped for it",
    async (method, ...params) => {
      const { head, ask, asked } = moving(50);
      const settled = await Promise.allSettled(
        Array.from({ length: 100 }, () => ask(method, ...params)),
      );
      const open = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(new Set(open).size).toBe(64);
      asked.length = 0;
      const { code, message, data } = await refusalOf(ask(method, ...params));
      expect([code, data.code, data.reason]).toEqual([-32005, "unavailable", "busy"]);
      expect(message).toContain("at most 64 open filters, which eth_uninstallFilter ends");
      expect(asked).toEqual([]);
      head.number = 51;
      for (const id of open) expect(await ask("eth_getFilterChanges", id)).toBeInstanceOf(Array);
      expect(await ask("eth_uninstallFilter", open[5])).toBe(true);
      expect(open).not.toContain(await ask(method, ...params));
    },
  );

  test("that failed to open take no place", async () => {
    let isDown = true;
    const { ask } = moving(50, ({ method, params }) =>
      isDown ? undefined : chain.execution(method, params),
    );
    await times(64, () => refusalOf(ask("eth_newBlockFilter")));
    isDown = false;
    expect(await times(64, () => ask("eth_newBlockFilter"))).toHaveLength(64);
  });

  test("are gone if they are not polled for five minutes", async () => {
    let now = 1n << 40n;
    const { ask } = providerOf(chain, { heads: { latest: hashOf(chain, 50) }, now: () => now });
    const [polled, left] = [await ask("eth_newBlockFilter"), await ask("eth_newBlockFilter")];
    now += 300_000n;
    expect(await ask("eth_getFilterChanges", polled)).toEqual([]);
    now += 1n;
    expect((await refusalOf(ask("eth_getFilterChanges", left))).code).toBe(-32000);
    expect(await ask("eth_getFilterChanges", polled)).toEqual([]);
    await times(63, () => ask("eth_newBlockFilter"));
    expect((await refusalOf(ask("eth_newBlockFilter"))).code).toBe(-32005);
    now += 300_001n;
    expect(await times(64, () => ask("eth_newBlockFilter"))).toHaveLength(64);
  });

  test("remember 128 blocks and 10,000 logs, but always the last block", () => {
    const seen = (blocks: number, logs: number) =>
      Array.from(
        { length: blocks },
        () => ({ reported: new Array(logs) }) as unknown as ReportedBlock,
      );
    expect(newestReported(seen(200, 0))).toHaveLength(128);
    expect(newestReported(seen(200, 1000))).toHaveLength(10);
    expect(newestReported(seen(200, 20_000))).toHaveLength(1);
    const all = [...seen(3, 0), ...seen(1, 9_999), ...seen(1, 1)];
    expect(newestReported(all)).toEqual(all);
    expect(newestReported([...all, ...seen(1, 1)])).toEqual([...seen(2, 1)]);
  });
});

describe("subscriptions", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("emit new headers until they end", async () => {
    const { head, ask, provider } = moving(50);
    const id = await ask("eth_subscribe", "newHeads");
    const messages = new Promise((resolve) => {
      provider.on("message", resolve);
    });
    head.number = 51;
    vi.advanceTimersByTime(1000);
    expect(await messages).toMatchObject({
      type: "eth_subscription",
      data: { subscription: id, result: { number: "0x33", hash: hashOf(chain, 51) } },
    });
    expect(await ask("eth_unsubscribe", id)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("poll one after another, however long a server takes", async () => {
    let [polls, isSlow] = [0, false];
    const waiting: (() => void)[] = [];
    const { provider } = providerOf(
      chain,
      {
        heads: () => {
          polls += 1;
          return { latest: hashOf(chain, isSlow ? 51 : 50) };
        },
        pollInterval: 1000,
      },
      async ({ method, params }) => {
        if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
        return chain.execution(method, params);
      },
    );
    const messages: unknown[] = [];
    provider.on("message", (message: unknown) => messages.push(message));
    await provider.request({ method: "eth_subscribe", params: ["newHeads"] });
    [polls, isSlow] = [0, true];
    for (let tick = 0; tick < 20; tick++) {
      vi.advanceTimersByTime(1000);
      await turn();
    }
    expect(polls).toBe(1);
    isSlow = false;
    for (const answer of waiting) answer();
    while (messages.length === 0) await turn();
    expect(polls).toBe(1);
    vi.advanceTimersByTime(1000);
    await turn();
    expect(polls).toBe(2);
  });

  test("reach every listener, also if one throws", async () => {
    const { head, ask, provider } = moving(50);
    const thrown: unknown[] = [];
    const report = vi.spyOn(globalThis, "queueMicrotask").mockImplementation((task) => {
      try {
        task();
      } catch (error) {
        thrown.push(error);
      }
    });
    const failure = new Error("the listener's own");
    const messages: unknown[] = [];
    provider.on("message", () => {
      throw failure;
    });
    provider.on("message", (message: unknown) => messages.push(message));
    await ask("eth_subscribe", "newHeads");
    head.number = 53;
    vi.advanceTimersByTime(1000);
    while (messages.length < 3 && thrown.length === 0) await turn();
    for (let turns = 0; turns < 20; turns++) await turn();
    report.mockRestore();
    expect(messages).toHaveLength(3);
    expect(thrown).toEqual([failure, failure, failure]);
  });

  test("are at most 64 at once, and one that ends makes room", async () => {
    const { ask, asked } = moving(50);
    const settled = await Promise.allSettled(
      Array.from({ length: 80 }, () => ask("eth_subscribe", "newHeads")),
    );
    const open = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(new Set(open).size).toBe(64);
    expect(vi.getTimerCount()).toBe(64);
    asked.length = 0;
    const { code, message, data } = await refusalOf(ask("eth_subscribe", "logs", {}));
    expect([code, data.reason]).toEqual([-32005, "busy"]);
    expect(message).toContain("at most 64 open subscriptions, which eth_unsubscribe ends");
    expect(asked).toEqual([]);
    // Filters have places of their own.
    await ask("eth_newBlockFilter");
    expect(await ask("eth_unsubscribe", open[0])).toBe(true);
    await ask("eth_subscribe", "newHeads");
    expect(vi.getTimerCount()).toBe(64);
  });

  test("to pending transactions are refused", async () => {
    const { ask, asked } = moving(50);
    for (const kind of ["newPendingTransactions", "syncing", undefined]) {
      const { data } = await refusalOf(ask("eth_subscribe", kind));
      expect(data.reason).toBe("unverifiable_method");
    }
    expect(asked).toEqual([]);
  });
});

describe("several servers", () => {
  const servers = (second: (question: Question) => unknown) => {
    const failures: string[] = [];
    const made = providerOf(
      chain,
      {
        execution: ["http://one.test", "http://two.test"],
        onFailure: ({ url }) => failures.push(url),
      },
      (question, url) =>
        url.includes("two") ? second(question) : chain.execution(question.method, question.params),
    );
    return { ...made, failures };
  };

  test("a null is only given, and marked, if all say so", async () => {
    const [hash] = [hashOf(chain, 54)];
    const params = [hash, false];
    const none = (question: Question) => {
      if (question.params[0] === EMPTY) return null;
      return chain.execution(question.method, question.params);
    };
    const request = { method: "eth_getBlockByHash", params: [EMPTY, false] };
    const { provider, unproven } = servers(none);
    expect(await provider.request(request)).toBe(null);
    expect(unproven).toEqual([request]);

    const failing = servers(() => undefined);
    expect((await refusalOf(failing.provider.request(request))).code).toBe(-32001);
    expect(failing.unproven).toEqual([]);

    const denying = servers(() => null);
    const found = await denying.provider.request({ method: "eth_getBlockByHash", params });
    expect(found).toMatchObject({ hash });
    expect(denying.unproven).toEqual([]);
  });

  test("onUnproven may refuse", async () => {
    for (const onUnproven of [
      () => false,
      () => {
        throw new Error("no");
      },
    ]) {
      const { provider } = providerOf(chain, { onUnproven });
      const request = { method: "eth_getTransactionReceipt", params: [EMPTY] };
      expect((await refusalOf(provider.request(request))).data.reason).toBe("unverifiable_method");
    }
  });
});

describe("transactions", () => {
  const sent = readExchanges().find(({ name }) => name.includes("send-dynamic-fee"));
  const raw = sent?.params[0] as Hex;
  const { from, nonce, hash } = Transaction.from(raw);

  test("are sent once, and count for the next nonce", async () => {
    const { ask, asked } = moving(54);
    const before = await ask("eth_getTransactionCount", from, "pending");
    expect(before).toBe(await ask("eth_getTransactionCount", from, "latest"));
    expect(await ask("eth_sendRawTransaction", raw)).toBe(hash);
    expect(asked.filter(({ method }) => method === "eth_sendRawTransaction")).toEqual([
      { method: "eth_sendRawTransaction", params: [raw] },
    ]);
    const next = BigInt(nonce) + 1n;
    expect(await ask("eth_getTransactionCount", from, "pending")).toBe(`0x${next.toString(16)}`);
    expect(await ask("eth_getTransactionCount", from, "latest")).toBe(before);
  });

  const known = { code: -32000, message: "already known" };

  /** A provider whose servers answer to a sent transaction with an error, or lose the reply. */
  function sendingTo(answers: (url: string) => "lost" | "accepted" | typeof known) {
    let now = 0n;
    const options = {
      ...chain.options,
      execution: ["http://one.test", "http://two.test"],
      now: () => now,
    };
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { id, method, params } = JSON.parse(init?.body as string) as Question & { id: number };
      if (method !== "eth_sendRawTransaction") {
        return Response.json({ jsonrpc: "2.0", id, result: await chain.execution(method, params) });
      }
      const answer = answers((input as URL).hostname);
      if (answer === "lost") throw new TypeError("the connection was lost");
      return Response.json(
        answer === "accepted"
          ? { jsonrpc: "2.0", id, result: hash }
          : { jsonrpc: "2.0", id, error: answer },
      );
    };
    const provider = createProvider({ ...options, fetch });
    const ask = (method: string, ...params: unknown[]) => provider.request({ method, params });
    return {
      ask,
      pending: async () => BigInt((await ask("eth_getTransactionCount", from, "pending")) as Hex),
      pass: (milliseconds: bigint) => {
        now += milliseconds;
      },
    };
  }

  test("that a server knows already count only if they were sent from here", async () => {
    const { ask, pending } = sendingTo(() => known);
    const before = await pending();
    await expect(ask("eth_sendRawTransaction", raw)).rejects.toMatchObject(known);
    expect(await pending()).toBe(before);

    // The first reply is lost; the transaction reaches the other server through the network.
    const lost = sendingTo((url) => (url === "one.test" ? "lost" : known));
    expect(await lost.ask("eth_sendRawTransaction", raw)).toBe(hash);
    expect(await lost.pending()).toBe(BigInt(nonce) + 1n);

    let answer: "accepted" | typeof known = "accepted";
    const twice = sendingTo(() => answer);
    await twice.ask("eth_sendRawTransaction", raw);
    answer = known;
    expect(await twice.ask("eth_sendRawTransaction", raw)).toBe(hash);
    expect(await twice.pending()).toBe(BigInt(nonce) + 1n);
  });

  test("count for three hours", async () => {
    const { ask, pending, pass } = sendingTo(() => "accepted");
    const before = await pending();
    await ask("eth_sendRawTransaction", raw);
    pass(10_800_000n);
    expect(await pending()).toBe(BigInt(nonce) + 1n);
    pass(1n);
    expect(await pending()).toBe(before);
  });

  test("count up to 64 after the verified ones, and the newest 1024 of them", () => {
    const sent = new SentTransactions(() => 0n);
    const add = (nonce: bigint, accepted = true) => {
      const transaction = { hash: `0x${nonce.toString(16)}`, from: "0xaa", nonce };
      sent.add(transaction as unknown as Parameters<SentTransactions["add"]>[0], accepted);
    };
    const next = (verified: bigint) => sent.next("0xaa", verified);
    for (const nonce of [8n, 5n, 63n]) add(nonce);
    add(9n, false);
    expect([0n, 8n, 9n, 64n, 70n].map(next)).toEqual([64n, 64n, 64n, 64n, 70n]);
    add(64n);
    expect([0n, 1n].map(next)).toEqual([64n, 65n]);
    expect(sent.next("0xbb", 5n)).toBe(5n);
    for (let nonce = 1000n; nonce < 2019n; nonce++) add(nonce);
    expect([0n, 10n].map(next)).toEqual([64n, 65n]);
    for (let nonce = 2019n; nonce < 2024n; nonce++) add(nonce);
    expect(next(0n)).toBe(0n);
  });

  test("of another chain, or damaged, are not sent", async () => {
    const { provider, asked } = providerOf(chain, { chainId: 1n });
    const wrong = await refusalOf(
      provider.request({ method: "eth_sendRawTransaction", params: [raw] }),
    );
    expect([wrong.code, wrong.data.reason]).toEqual([-32602, "wrong_chain"]);
    for (const bad of ["0x", "0x05c0", `${raw}00`, raw.slice(0, -2), 5]) {
      const request = { method: "eth_sendRawTransaction", params: [bad] };
      expect((await refusalOf(provider.request(request))).code).toBe(-32602);
    }
    expect(asked).toEqual([]);
  });

  test("that are pending have their own fields, and are marked", async () => {
    const unproven: unknown[] = [];
    const pendingAt = (head: number) =>
      providerOf(chain, {
        heads: { latest: hashOf(chain, head) },
        onUnproven: (request) => unproven.push(request),
      }).provider;
    const block = (await chain.execution("eth_getBlockByNumber", ["0x36", true])) as {
      transactions: Record<string, unknown>[];
    };
    const [transaction] = block.transactions;
    const request = { method: "eth_getTransactionByHash", params: [transaction?.["hash"]] };
    // The server knows a block with it that no head shows yet.
    expect(await pendingAt(53).request(request)).toMatchObject({
      hash: transaction?.["hash"],
      from: transaction?.["from"],
      blockHash: null,
    });
    const receipt = { ...request, method: "eth_getTransactionReceipt" };
    expect(await pendingAt(53).request(receipt)).toBe(null);
    expect(unproven).toEqual([request, receipt]);
    expect(await pendingAt(54).request(request)).toMatchObject({ blockNumber: "0x36" });
    expect(unproven).toHaveLength(2);
  });
});

describe("logs", () => {
  test("above the limit are refused with a range that fits", async () => {
    const { provider } = providerOf(chain, { maxLogBytes: 60_000 });
    const filter = { address: CONTRACT, fromBlock: "0x1" };
    const refused = await refusalOf(provider.request({ method: "eth_getLogs", params: [filter] }));
    expect([refused.code, refused.data.reason]).toEqual([-32005, "logs_too_large"]);
    const { fits } = refused.data;
    expect(BigInt(fits?.fromBlock ?? 0)).toBeGreaterThan(0n);
    expect(BigInt(fits?.fromBlock ?? 0)).toBeLessThanOrEqual(BigInt(fits?.toBlock ?? 0));
  });

  test.each([
    ["a range beyond the head", { fromBlock: "0x1", toBlock: "0x37" }],
    ["a range that ends before it begins", { fromBlock: "0x5", toBlock: "0x4" }],
    ["a block and a range", { blockHash: EMPTY, fromBlock: "0x1" }],
    ["five topics", { topics: [null, null, null, null, null] }],
    ["a member that is none", { adress: CONTRACT }],
    ["half an address", { address: "0x7dcd" }],
  ])("of %s are invalid", async (_, filter) => {
    const { provider } = providerOf(chain);
    const refused = await refusalOf(provider.request({ method: "eth_getLogs", params: [filter] }));
    expect(refused.code).toBe(-32602);
  });
});

test("eth_syncing counts the network's own slots", async () => {
  const chain = (secondsPerSlot: bigint | undefined) =>
    ({
      settings: { now: () => 1_000_000n, secondsPerSlot },
      ask: () => Promise.resolve({ header: { number: 7n, timestamp: 980n } }),
    }) as unknown as Parameters<typeof syncing>[0];
  expect(await syncing(chain(12n), [], "")).toBe(false);
  expect(await syncing(chain(undefined), [], "")).toBe(false);
  expect(await syncing(chain(5n), [], "")).toEqual({
    startingBlock: "0x7",
    currentBlock: "0x7",
    highestBlock: "0xb",
  });
});

test.each([
  ["eth_getBalance", []],
  ["eth_getBalance", ["0x12"]],
  ["eth_getBalance", [CONTRACT, "newest"]],
  ["eth_getBalance", [CONTRACT, "latest", 1]],
  ["eth_getBlockByNumber", ["latest"]],
  ["eth_getBlockByHash", ["0x1", true]],
  ["eth_getTransactionByHash", [CONTRACT]],
  ["eth_getTransactionByBlockNumberAndIndex", ["latest", "first"]],
  ["eth_feeHistory", ["0x2", "latest", [50, 10]]],
  ["eth_feeHistory", ["0x2", "latest", [101]]],
  ["eth_feeHistory", ["many", "latest"]],
  ["eth_feeHistory", ["0x2", "0x99"]],
  ["eth_getStorageValues", [{}]],
  ["eth_getStorageValues", [[CONTRACT]]],
])("%s %j has invalid parameters", async (method, params) => {
  const { provider } = providerOf(chain);
  expect((await refusalOf(provider.request({ method, params }))).code).toBe(-32602);
});
