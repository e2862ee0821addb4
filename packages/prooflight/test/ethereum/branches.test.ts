/** Honest servers that are on another branch, or ahead of this version: they are not called liars. */

import { describe, expect, test } from "vitest";

import { type NetworkProviderOptions } from "../../src/provider.js";
import { executeChain } from "./execution-chain.js";
import { type Answer, hashOf, providerOf, type Question, refusalDataOf } from "./provider-of.js";

type Json = Record<string, unknown>;

const chain = await executeChain();
const honest: Answer = ({ method, params }) => chain.execution(method, params);

const CONTRACT = "0x7dcd17433742f4c0ca53122ab541d0ba67fc27df";
const LAST = 54;
const head = hashOf(chain, LAST);

const asking = (answer: Answer, options: Partial<NetworkProviderOptions> = {}) =>
  providerOf(chain, options, answer);

/** Whether a question names a block by its hash. */
const isByHash = ({ params }: Question) => typeof params.at(-1) === "object";
const isState = ({ method }: Question) => /eth_get(Proof|Code)/.test(method);

/** Asks about the block before, as a server does whose branch has another block of the head's number. */
const behind = (question: Question): Question => {
  const params = question.params.map((param) => (param === "0x36" ? "0x32" : param));
  return { ...question, params };
};

describe("the state after a block", () => {
  const questions = [
    ["eth_getBalance", [CONTRACT, "latest"]],
    ["eth_getCode", [CONTRACT, "latest"]],
    ["eth_getStorageAt", [CONTRACT, "0x0", "latest"]],
    // Six blocks back, by a proof in the head's state.
    ["eth_getBlockByNumber", ["0x30", false]],
  ] as const;

  test.each(questions)("is asked for by the block's hash: %s", async (method, params) => {
    const { ask, asked } = asking(honest);
    await ask(method, ...params);
    const states = asked.filter(isState);
    expect(states.length).toBeGreaterThan(0);
    for (const { params } of states) expect(params.at(-1)).toEqual({ blockHash: head });
  });

  test.each(questions)(
    "is asked for by number where hashes are refused: %s",
    async (method, params) => {
      const { ask, asked } = asking((question, url) =>
        isState(question) && isByHash(question) ? undefined : honest(question, url),
      );
      const expected = await asking(honest).ask(method, ...params);
      expect(await ask(method, ...params)).toEqual(expected);
      const [refused] = asked.filter(isByHash);
      expect(refused).toBeDefined();
      // It is known from then on.
      const { length } = asked.filter(isByHash);
      expect(await ask(method, ...params)).toEqual(expected);
      expect(asked.filter(isByHash)).toHaveLength(length);
    },
  );

  test.each(questions)("of another branch is no lie: %s", async (method, params) => {
    const { ask } = asking(
      (question, url) => {
        if (isState(question) && isByHash(question)) return undefined;
        return honest(question.method === "eth_getBlockByHash" ? question : behind(question), url);
      },
      { maxWalk: 4 },
    );
    const { code, reason } = await refusalDataOf(ask(method, ...params));
    expect([code, reason]).toEqual(["unavailable", "unknown_block"]);
  });

  test("of a node that proves only newer blocks is refused, with its words and a hint", async () => {
    const message = "distance to target block exceeds maximum proof window";
    const { provider } = providerOf(chain, {
      fetch: async (_, init) => {
        const question = JSON.parse(init?.body as string) as Question & { id: number };
        const reply = isState(question)
          ? { error: { code: -32602, message } }
          : { result: (await honest(question, "")) ?? null };
        return Response.json({ jsonrpc: "2.0", id: question.id, ...reply });
      },
    });
    const refused = await refusalDataOf(
      provider.request({ method: "eth_getBalance", params: [CONTRACT, "latest"] }),
    );
    expect([refused.reason, refused.found]).toEqual(["server_error", message]);
    expect(refused.expected).toContain("if its node is set to prove block 54");
  });

  test("is a lie if the server has the block", async () => {
    const { ask } = asking((question, url) => {
      if (isState(question) && isByHash(question)) return undefined;
      return honest(isState(question) ? behind(question) : question, url);
    });
    expect((await refusalDataOf(ask("eth_getBalance", CONTRACT, "latest"))).code).toBe("mismatch");
    const byHash = asking((question, url) =>
      isState(question)
        ? honest({ ...question, params: [CONTRACT, [], "0x32"] }, url)
        : honest(question, url),
    );
    const refused = await refusalDataOf(byHash.ask("eth_getBalance", CONTRACT, "latest"));
    expect(refused.code).toBe("mismatch");
  });
});

describe("a transaction", () => {
  const last = chain.execution("eth_getBlockByNumber", ["0x36", true]) as Promise<{
    transactions: { hash: string }[];
  }>;

  test.each(["eth_getTransactionByHash", "eth_getTransactionReceipt"])(
    "in a block of another branch is no lie: %s",
    async (method) => {
      const [transaction] = (await last).transactions;
      const moved =
        (change: Json): Answer =>
        async (question, url) => {
          const reply = (await honest(question, url)) as Json;
          return question.method === "eth_getTransactionByHash" ? { ...reply, ...change } : reply;
        };
      const other = { blockNumber: "0x35", blockHash: `0x${"12".repeat(32)}` };
      const { code, reason } = await refusalDataOf(
        asking(moved(other)).ask(method, transaction?.hash),
      );
      expect([code, reason]).toEqual(["unavailable", "unknown_block"]);
      const lie = { blockNumber: "0x35", blockHash: hashOf(chain, 53) };
      const refused = await refusalDataOf(asking(moved(lie)).ask(method, transaction?.hash));
      expect([refused.code, refused.reason]).toEqual(["mismatch", "transaction_mismatch"]);
    },
  );
});

describe.each([
  ["eth_getBlockReceipts", ["latest"], "eth_getBlockReceipts"],
  ["eth_getLogs", [{ blockHash: head }], "eth_getBlockReceipts"],
])("%s", (method, params, asked) => {
  test("of a server that does not have the block has no answer", async () => {
    const { ask } = asking((question, url) =>
      question.method === asked ? null : honest(question, url),
    );
    const { code, reason } = await refusalDataOf(ask(method, ...params));
    expect([code, reason]).toEqual(["unavailable", "unknown_block"]);
  });
});

describe("a server that knows a later fork", () => {
  const unsupported = ["unsupported", "unsupported_fork"];

  test.each([
    ["transactions", "eth_getBlockByHash", "eth_getBlockByNumber", ["latest", true]],
    ["receipts", "eth_getBlockReceipts", "eth_getBlockReceipts", ["latest"]],
    ["receipts of logs", "eth_getBlockReceipts", "eth_getLogs", [{ blockHash: head }]],
  ])("is no liar about %s of a new type", async (_, about, method, params) => {
    const { ask } = asking(async (question, url) => {
      const reply = await honest(question, url);
      const renew = (list: Json[]) => list.map((one) => ({ ...one, type: "0x5" }));
      if (question.method !== about) return reply;
      if (Array.isArray(reply)) return renew(reply as Json[]);
      const { transactions, ...block } = reply as { transactions: Json[] };
      return question.params[1] === true ? { ...block, transactions: renew(transactions) } : reply;
    });
    const { code, reason, found } = await refusalDataOf(ask(method, ...params));
    expect([code, reason]).toEqual(unsupported);
    expect(found).toBe("type 5");
  });

  const withField =
    (change: Json): Answer =>
    async (question, url) => {
      const reply = (await honest(question, url)) as Json;
      return question.method === "eth_getBlockByHash" ? { ...reply, ...change } : reply;
    };

  test("is no liar about headers with new fields", async () => {
    // Their hash would cover the new field; here another one is changed.
    const change = { blockAccessListHash: `0x${"34".repeat(32)}`, gasUsed: "0x1" };
    const { code, reason, found } = await refusalDataOf(
      asking(withField(change)).ask("eth_blockNumber"),
    );
    expect([code, reason]).toEqual(unsupported);
    expect(found).toBe("blockAccessListHash");
    const lie = withField({ gasUsed: "0x1" });
    expect((await refusalDataOf(asking(lie).ask("eth_blockNumber"))).reason).toBe(
      "header_hash_mismatch",
    );
  });

  test("is believed about a header without them, whatever it adds", async () => {
    const { ask } = asking(withField({ anything: "0x12" }));
    expect(await ask("eth_blockNumber")).toBe("0x36");
  });
});
