/** Servers that tell the truth at the wrong time, or half of it. */

import { describe, expect, test } from "vitest";

import { type NetworkProviderOptions } from "../../src/provider.js";
import { executeChain } from "./execution-chain.js";
import { type Answer, hashOf, providerOf, refusalOf } from "./provider-of.js";

type Json = Record<string, unknown>;

const chain = await executeChain();
const honest: Answer = ({ method, params }) => chain.execution(method, params);

/** The last block, with its transactions. */
const LAST = 54;
const last = (await chain.execution("eth_getBlockByNumber", ["0x36", true])) as {
  hash: string;
  transactions: { hash: string }[];
};
const [{ hash: included }] = last.transactions as [{ hash: string }];

const asking = (options: Partial<NetworkProviderOptions>, answer: Answer) =>
  providerOf(chain, options, answer);

describe("nothing is called absent", () => {
  test.each(["eth_getTransactionByHash", "eth_getTransactionReceipt"])(
    "by %s of a server that has the transaction, but not yet the head's block",
    async (method) => {
      const { ask, unproven } = asking({}, (question, url) => {
        const [first] = question.params;
        const isHead = first === hashOf(chain, LAST) || first === "0x36";
        return question.method.startsWith("eth_getBlockBy") && isHead
          ? null
          : honest(question, url);
      });
      expect((await refusalOf(ask(method, included))).data.reason).toBe("unknown_block");
      expect(unproven).toEqual([]);
    },
  );

  test("by eth_getBlockByHash, whose header is verified", async () => {
    const { ask, unproven } = asking({}, (question, url) =>
      question.method === "eth_getBlockByHash" && question.params[1] === true
        ? null
        : honest(question, url),
    );
    const refused = await refusalOf(ask("eth_getBlockByHash", last.hash, true));
    expect([refused.code, refused.data.reason]).toEqual([-32001, "unknown_block"]);
    expect(unproven).toEqual([]);
  });

  describe.each([
    ["the head", LAST],
    ["the finalized block", LAST - 2],
    ["the head's parent", LAST - 1],
  ])("by servers that deny %s", (_, number) => {
    const hash = hashOf(chain, number);
    const heads = { latest: hashOf(chain, LAST), finalized: hashOf(chain, LAST - 2) };

    test.each([
      ["eth_getBlockByHash", [hash, false]],
      ["eth_getBlockTransactionCountByHash", [hash]],
      ["eth_getUncleCountByBlockHash", [hash]],
      ["eth_getUncleByBlockHashAndIndex", [hash, "0x0"]],
      ["eth_getTransactionByBlockHashAndIndex", [hash, "0x0"]],
      ["eth_getBlockReceipts", [hash]],
    ])("%s", async (method, params) => {
      const options = { heads, execution: ["http://one.test", "http://two.test"] };
      const { ask, unproven } = asking(options, (question, url) =>
        question.params[0] === hash ? null : honest(question, url),
      );
      const refused = await refusalOf(ask(method, ...params));
      expect([refused.code, refused.data.reason]).toEqual([-32001, "unknown_block"]);
      expect(unproven).toEqual([]);
    });
  });
});

describe("a transaction is pending", () => {
  const servers = { execution: ["http://one.test", "http://two.test"] };
  const pending: Answer = async (question, url) => {
    const reply = (await honest(question, url)) as Json;
    if (question.method !== "eth_getTransactionByHash") return reply;
    return { ...reply, blockHash: null, blockNumber: null, transactionIndex: null };
  };
  const bySecond =
    (second: Answer): Answer =>
    (question, url) =>
      (url.includes("one") ? pending : second)(question, url);

  test("only if no server has it in a block", async () => {
    const { ask, unproven } = asking(servers, bySecond(honest));
    expect(await ask("eth_getTransactionByHash", included)).toMatchObject({ blockNumber: "0x36" });
    expect(unproven).toEqual([]);
  });

  const ignorant: Answer = (question, url) =>
    question.method === "eth_getTransactionByHash" ? null : honest(question, url);

  test.each([
    ["calls it pending, too", pending],
    ["does not know it", ignorant],
  ])("if the other server %s", async (_, second) => {
    const { ask, unproven } = asking(servers, bySecond(second));
    expect(await ask("eth_getTransactionByHash", included)).toMatchObject({
      hash: included,
      blockNumber: null,
    });
    expect(unproven).toHaveLength(1);
  });

  test("not if the other server does not answer", async () => {
    const { ask, unproven } = asking(
      servers,
      bySecond(() => undefined),
    );
    expect((await refusalOf(ask("eth_getTransactionByHash", included))).code).toBe(-32001);
    expect(unproven).toEqual([]);
  });

  test("not if it is for another chain", async () => {
    const { ask, unproven } = asking({ chainId: 1n }, pending);
    const typed = last.transactions.find((one) => "chainId" in one);
    const refused = await refusalOf(ask("eth_getTransactionByHash", typed?.hash));
    expect([refused.code, refused.data.reason]).toEqual([-32002, "wrong_chain"]);
    expect(unproven).toEqual([]);
  });
});
