/** Receipts and transactions in the forms in which nodes send them, and the ways in which they offer them. */

import { describe, expect, test } from "vitest";

import { type NetworkProviderOptions } from "../../src/provider.js";
import { executeChain } from "./execution-chain.js";
import { type Answer, hashOf, providerOf, type Question, refusalDataOf } from "./provider-of.js";

type Json = Record<string, unknown>;

const chain = await executeChain();
const honest: Answer = ({ method, params }) => chain.execution(method, params);

const asking = (answer: Answer, options: Partial<NetworkProviderOptions> = {}) =>
  providerOf(chain, options, answer);

/** Honest, but every receipt and every transaction of a block is written in another way. */
const writing =
  (write: (one: Json) => Json): Answer =>
  async (question, url) => {
    const reply = await honest(question, url);
    if (question.method.includes("Receipt")) {
      return Array.isArray(reply) ? (reply as Json[]).map(write) : reply && write(reply as Json);
    }
    if (!question.method.startsWith("eth_getBlockBy") || question.params[1] !== true) return reply;
    const block = reply as Json & { transactions: Json[] };
    return { ...block, transactions: block.transactions.map(write) };
  };

/** Blocks with every type of transactions, in the order of their forks. */
const BLOCKS = ["0x5", "0x1a", "0x20", "0x28", "0x2a", "0x2d", "0x36"];

const QUESTIONS = BLOCKS.flatMap((block): Question[] => [
  { method: "eth_getBlockByNumber", params: [block, true] },
  { method: "eth_getBlockReceipts", params: [block] },
  { method: "eth_getLogs", params: [{ fromBlock: block, toBlock: block }] },
]);

async function answersOf(answer: Answer): Promise<unknown[]> {
  // Before Prague, blocks are reached by walking.
  const { ask } = asking(answer, { maxWalk: 100 });
  const answers: unknown[] = [];
  for (const { method, params } of QUESTIONS) answers.push(await ask(method, ...params));
  return answers;
}

const expected = await answersOf(honest);

/** Changes the members that one has. */
const change =
  (names: readonly string[], write: (value: string) => unknown) =>
  (one: Json): Json =>
    Object.fromEntries(
      Object.entries(one).map(([name, value]) => [
        name,
        names.includes(name) && typeof value === "string" ? write(value) : value,
      ]),
    );

const isReceipt = (one: Json) => "cumulativeGasUsed" in one;
const isTyped = ({ type }: Json) => type !== "0x0";
const QUANTITIES = ["nonce", "gas", "value", "v", "r", "s", "gasPrice", "chainId", "type"];
const FEES = ["maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas", "cumulativeGasUsed"];

describe("are read as they are meant:", () => {
  test.each<[string, (one: Json) => Json]>([
    ["an empty root beside the status", (one) => ({ root: "0x", ...one })],
    ["a root of nothing beside the status", (one) => ({ root: "", ...one })],
    ["no root beside the status", (one) => ({ root: null, ...one })],
    ["a root of zeros beside the status", (one) => ({ root: `0x${"00".repeat(32)}`, ...one })],
    ["a status beside the root", (one) => ("root" in one ? { ...one, status: "0x1" } : one)],
    ["no status beside the root", (one) => ("root" in one ? { ...one, status: null } : one)],
    [
      "null for empty lists",
      (one) =>
        Object.fromEntries(
          Object.entries(one).map(([name, value]) => [
            name,
            Array.isArray(value) && value.length === 0 ? null : value,
          ]),
        ),
    ],
    [
      "null for the empty topics of logs",
      (one) => ({
        ...one,
        ...(Array.isArray(one["logs"]) && {
          logs: (one["logs"] as Json[]).map((log) => ({
            ...log,
            topics: (log["topics"] as unknown[]).length > 0 ? log["topics"] : null,
          })),
        }),
      }),
    ],
    ["no type of legacy ones", (one) => (isTyped(one) ? one : { ...one, type: undefined })],
    ["null for the type of legacy ones", (one) => (isTyped(one) ? one : { ...one, type: null })],
    ["leading zeros", change([...QUANTITIES, ...FEES], (value) => `0x0${value.slice(2)}`)],
    [
      "words of 32 bytes",
      change(["r", "s", "value"], (value) => `0x${value.slice(2).padStart(64, "0")}`),
    ],
    [
      "upper-case digits",
      change([...QUANTITIES, ...FEES, "to", "input", "logsBloom", "root"], (value) =>
        value.replace(/^0x(.*)$/, (_, digits: string) => `0x${digits.toUpperCase()}`),
      ),
    ],
    ["0x for zero", change([...QUANTITIES, ...FEES], (value) => (value === "0x0" ? "0x" : value))],
    [
      "0x for no recipient",
      (one) => ("to" in one && one["to"] === null ? { ...one, to: "0x" } : one),
    ],
    ["nothing for no recipient", (one) => (one["to"] === null ? { ...one, to: "" } : one)],
    [
      "data instead of input",
      ({ input, ...one }) => (input === undefined ? one : { ...one, data: input }),
    ],
    [
      "yParity without v",
      (one) =>
        isTyped(one) && !isReceipt(one) ? { ...one, yParity: one["v"], v: undefined } : one,
    ],
    [
      "27 and 28 as parities",
      (one) =>
        isTyped(one) && !isReceipt(one)
          ? { ...one, yParity: undefined, v: `0x${(27 + Number(one["v"])).toString(16)}` }
          : one,
    ],
    [
      "more members",
      (one) => ({ ...one, blockTimestamp: "0x1", l1Fee: "0x2", depositNonce: null, removed: 1 }),
    ],
    ["derived members that are wrong", (one) => ({ ...one, contractAddress: "", gasUsed: null })],
  ])("%s", async (_, write) => {
    expect(await answersOf(writing(write))).toEqual(expected);
  });
});

describe("of a type that this version does not know are unsupported, not lies:", () => {
  const types = ["0x5", "0x64", "0x6a", "0x7b", "0x7e", "0x7f", "0x80", "0xfe", "0xff", "0x100"];

  test.each(types)("%s", async (type) => {
    // They may lack whatever other types have.
    const { ask } = asking(writing(({ hash, blockHash }) => ({ type, hash, blockHash })));
    for (const [method, ...params] of [
      ["eth_getBlockByNumber", "latest", true],
      ["eth_getBlockReceipts", "latest"],
      ["eth_getLogs", {}],
    ] as const) {
      const { code, reason, found } = await refusalDataOf(ask(method, ...params));
      expect([method, code, reason]).toEqual([method, "unsupported", "unsupported_fork"]);
      expect(found).toBe(`type ${Number(type)}`);
    }
  });
});

describe("nothing that decides is optional:", () => {
  test.each<[string, string, (one: Json) => Json]>([
    [
      "another status",
      "root_mismatch",
      (one) => ({ ...one, status: one["status"] === "0x1" ? "0x0" : "0x1" }),
    ],
    [
      "a root beside the status",
      "root_mismatch",
      (one) => ({ ...one, root: `0x${"12".repeat(32)}` }),
    ],
    ["a root of another length", "invalid_answer", (one) => ({ ...one, root: "0x12" })],
    ["neither status nor root", "invalid_answer", (one) => ({ ...one, status: null, root: null })],
    ["no logs", "root_mismatch", (one) => ({ ...one, logs: null })],
    ["another type", "root_mismatch", (one) => ({ ...one, type: isTyped(one) ? null : "0x2" })],
  ])("%s", async (_, reason, write) => {
    const { ask } = asking(writing((one) => (isReceipt(one) ? write(one) : one)));
    expect((await refusalDataOf(ask("eth_getBlockReceipts", "latest"))).reason).toBe(reason);
  });
});

describe("receipts", async () => {
  const ask = ["eth_getBlockReceipts", "latest"] as const;
  const all = await asking(honest).ask(...ask);
  const METHOD = "eth_getBlockReceipts";
  const isByHash = ({ method, params }: Question) => method === METHOD && params[0] !== "0x36";

  /** Replies to `eth_getBlockReceipts` with errors. */
  const failing =
    (fails: (question: Question) => boolean, error: object, status = 200): typeof fetch =>
    async (_, init) => {
      const question = JSON.parse(init?.body as string) as Question & { id: number };
      const { id } = question;
      if (fails(question)) return Response.json({ jsonrpc: "2.0", id, error }, { status });
      const result = (await honest(question, "")) ?? null;
      return Response.json({ jsonrpc: "2.0", id, result });
    };

  const counting = (inner: typeof fetch) => {
    const asked: string[] = [];
    const fetch: typeof inner = (url, init) => {
      const { method, params } = JSON.parse(init?.body as string) as Question;
      if (method.includes("Receipt")) asked.push(`${method} ${String(params[0]).length === 66}`);
      return inner(url, init);
    };
    return { fetch, asked };
  };

  const unknown = { code: -32601, message: "the method eth_getBlockReceipts does not exist" };
  const form = { code: -32602, message: "hex number > 64 bits" };

  test.each([
    ["parameters of another form", form, 200],
    ["parameters of another form, and status 400", form, 400],
    ["an error of its own", { code: -32000, message: "invalid argument" }, 200],
  ])("are asked for by number where hashes are answered with %s", async (_, error, status) => {
    const { fetch, asked } = counting(failing(isByHash, error, status));
    const { provider } = providerOf(chain, { fetch });
    const [method, ...params] = ask;
    expect(await provider.request({ method, params })).toEqual(all);
    expect(asked).toEqual([`${METHOD} true`, `${METHOD} false`]);
    expect(await provider.request({ method, params })).toEqual(all);
    // Parameters of another form will be so the next time.
    expect(asked.slice(2).at(-1)).toBe(`${METHOD} false`);
    expect(asked).toHaveLength(error === form ? 3 : 4);
  });

  test("are asked for by number where there is nothing with a hash", async () => {
    const { ask: request } = asking((question, url) =>
      isByHash(question) ? null : honest(question, url),
    );
    expect(await request(...ask)).toEqual(all);
  });

  test.each([
    ["unknown", unknown, 200],
    ["not found", {}, 404],
    ["not allowed", { message: "method not allowed" }, 405],
  ])("are asked for one by one where the method is %s", async (_, error, status) => {
    const { fetch, asked } = counting(failing(({ method }) => method === METHOD, error, status));
    const { provider } = providerOf(chain, { fetch });
    const [method, ...params] = ask;
    expect(await provider.request({ method, params })).toEqual(all);
    const single = (all as unknown[]).map(() => "eth_getTransactionReceipt true");
    expect(asked).toEqual([`${METHOD} true`, `${METHOD} false`, ...single]);
    const logs = await provider.request({ method: "eth_getLogs", params: [{}] });
    expect(logs).toEqual(await asking(honest).ask("eth_getLogs", {}));
    expect(asked.slice(2)).toEqual([...single, ...single]);
  });

  test("are not asked for in another way where there are too many requests", async () => {
    const limit = { code: -32005, message: "rate limited" };
    const { fetch, asked } = counting(failing(({ method }) => method === METHOD, limit, 429));
    const { provider } = providerOf(chain, { fetch });
    const [method, ...params] = ask;
    const { reason, found } = await refusalDataOf(provider.request({ method, params }));
    expect([reason, found]).toEqual(["server_error", "HTTP status 429: rate limited"]);
    expect(asked).toEqual([`${METHOD} true`]);
  });

  test("by number of another block are no lie, and no answer", async () => {
    const { ask: request } = asking((question, url) => {
      if (isByHash(question)) return undefined;
      const { method, params } = question;
      return honest(method === METHOD ? { method, params: ["0x35"] } : { method, params }, url);
    });
    const { code, reason } = await refusalDataOf(request(...ask));
    expect([code, reason]).toEqual(["unavailable", "unknown_block"]);
  });

  test.each<[string, (one: Json) => unknown, string]>([
    ["that do not exist", () => null, "unknown_block"],
    ["that are others", (one) => ({ ...one, cumulativeGasUsed: "0x1" }), "root_mismatch"],
  ])("one by one %s are refused", async (_, write, reason) => {
    const { ask: request } = asking(async (question, url) => {
      if (question.method === METHOD) return undefined;
      const reply = await honest(question, url);
      return question.method === "eth_getTransactionReceipt" ? write(reply as Json) : reply;
    });
    expect((await refusalDataOf(request(...ask))).reason).toBe(reason);
  });

  test("one by one of more transactions than the gas allows are not asked for", async () => {
    const { ask: request, asked } = asking(async (question, url) => {
      if (question.method === METHOD) return undefined;
      const reply = (await honest(question, url)) as Json;
      const isHashes = question.method === "eth_getBlockByHash" && question.params[1] === false;
      const many = Array.from({ length: 10_000 }, () => hashOf(chain, 1));
      return isHashes ? { ...reply, transactions: many } : reply;
    });
    expect((await refusalDataOf(request(...ask))).reason).toBe("invalid_answer");
    expect(asked.map(({ method }) => method)).not.toContain("eth_getTransactionReceipt");
  });
});
