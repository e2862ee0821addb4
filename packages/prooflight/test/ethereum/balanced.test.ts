/** Nodes behind one URL that are at different heights: what one answers does not vouch for what another one does. */

import { describe, expect, test } from "vitest";

import { type NetworkProviderOptions, ProviderError } from "../../src/provider.js";
import { balanced, type Chain, lengthen } from "./balanced.js";
import { executeChain } from "./execution-chain.js";
import { seededRandom } from "./lies.js";
import { type Answer, hashOf, providerOf, type Question, refusalDataOf } from "./provider-of.js";

const random = seededRandom();

type Json = Record<string, unknown>;

const executed = await executeChain();
const CONTRACT = "0x7dcd17433742f4c0ca53122ab541d0ba67fc27df";
const LAST = 54;

const short: Chain = {
  newest: LAST,
  hashOf: (number) => hashOf(executed, number),
  execution: executed.execution,
};

const isOf =
  (method: string) =>
  (question: Question): boolean =>
    question.method === method;

/** Asks a provider whose heads are the chain's newest block. */
function asking(chain: Chain, answer: Answer, options: Partial<NetworkProviderOptions> = {}) {
  const heads = { latest: chain.hashOf(chain.newest) };
  return providerOf(executed, { heads, ...options }, answer);
}

const union = { logs: "union" } as const;

describe("the logs of the newest blocks", () => {
  const filter = { address: CONTRACT, fromBlock: "0x30" };
  const all = (await_: Answer) => asking(short, await_).ask("eth_getLogs", filter);
  const honest: Answer = ({ method, params }) => short.execution(method, params);

  test.each([LAST - 1, LAST - 3, 0x2f, 0])(
    "are all there if the node that is asked for logs has blocks up to %i only",
    async (height) => {
      const nodes = balanced(short, [LAST, height], (question) =>
        isOf("eth_getLogs")(question) ? 1 : 0,
      );
      const { ask } = asking(short, nodes, union);
      expect(await ask("eth_getLogs", filter)).toEqual(await all(honest));
    },
  );

  test("are all there, or refused, whichever node is asked", async () => {
    const expected = await all(honest);
    let answered = 0;
    for (let round = 0; round < 30; round++) {
      const nodes = balanced(short, [LAST, LAST, LAST, LAST - 2], () => Math.floor(random() * 4));
      const { ask } = asking(short, nodes, union);
      const answer = ask("eth_getLogs", filter);
      const logs = await answer.catch((error: unknown) => error);
      if (logs instanceof ProviderError) expect(logs.data.code).toBe("unavailable");
      else {
        expect(logs).toEqual(expected);
        answered += 1;
      }
    }
    console.log(`${answered} of 30 answered`);
  });
});

describe("the logs of a long range", async () => {
  // Every tenth block has logs of this contract; all are from before Prague.
  const OTHER = "0xfe202475a5505527703a3546ee3d04e6b37fe470";
  const chain = await lengthen(executed, {
    after: 40,
    length: 100,
    repeated: (number) => (number % 10 === 0 ? 38 : 40),
  });
  const filter = { address: OTHER, fromBlock: "0x29" };
  const options = { ...union, maxWalk: 200 };
  const honest: Answer = ({ method, params }) => chain.execution(method, params);

  test("are all there if all nodes have them", async () => {
    const logs = (await asking(chain, honest, options).ask("eth_getLogs", filter)) as Json[];
    expect(new Set(logs.map(({ blockNumber }) => Number(blockNumber))).size).toBe(10);
    expect(await asking(chain, honest, { maxWalk: 200 }).ask("eth_getLogs", filter)).toEqual(logs);
  });

  test.each([chain.newest - 1, chain.newest - 64])(
    "are all there if the node that is asked for logs has blocks up to %i only",
    async (height) => {
      const nodes = balanced(chain, [chain.newest, height], (question) =>
        isOf("eth_getLogs")(question) ? 1 : 0,
      );
      const logs = await asking(chain, nodes, options).ask("eth_getLogs", filter);
      expect(logs).toEqual(await asking(chain, honest, options).ask("eth_getLogs", filter));
    },
  );

  test("are refused if it is further behind", async () => {
    const nodes = balanced(chain, [chain.newest, chain.newest - 65], (question) =>
      isOf("eth_getLogs")(question) ? 1 : 0,
    );
    const refused = await refusalDataOf(asking(chain, nodes, options).ask("eth_getLogs", filter));
    expect([refused.code, refused.reason]).toEqual(["unavailable", "server_error"]);
  });
});

describe("what a server does not have", () => {
  const transactions = async (number: bigint) => {
    const params = [`0x${number.toString(16)}`, false];
    const block = (await executed.execution("eth_getBlockByNumber", params)) as Json;
    return block["transactions"] as string[];
  };

  test.each(["eth_getTransactionReceipt", "eth_getTransactionByHash"])(
    "is not called absent by a node without the newest block: %s",
    async (method) => {
      const [hash] = await transactions(BigInt(LAST));
      let height = 0;
      const nodes = balanced(short, [LAST, LAST - 1], () => height);
      const { ask, unproven } = asking(short, nodes);
      // A node with the newest block shows it.
      expect(await ask("eth_blockNumber")).toBe("0x36");
      height = 1;
      expect((await refusalDataOf(ask(method, hash))).reason).toBe("unknown_block");
      expect(unproven).toEqual([]);
      height = 0;
      expect(await ask(method, hash)).toMatchObject({ blockNumber: "0x36" });
      expect(await ask(method, `0x${"12".repeat(32)}`)).toBe(null);
      expect(unproven).toHaveLength(1);
    },
  );

  test("is not called pending by a node without the newest block", async () => {
    const [hash] = await transactions(BigInt(LAST));
    let isBehind = false;
    const { ask, unproven } = asking(short, async ({ method, params }) => {
      const reply = await short.execution(method, params);
      if (!isBehind) return reply;
      if (method === "eth_getBlockByHash") return null;
      return method === "eth_getTransactionByHash"
        ? { ...(reply as Json), blockNumber: null, blockHash: null }
        : reply;
    });
    await ask("eth_blockNumber");
    isBehind = true;
    expect((await refusalDataOf(ask("eth_getTransactionByHash", hash))).reason).toBe(
      "unknown_block",
    );
    expect(unproven).toEqual([]);
  });
});

test("a state that was once asked for by number is asked for by hash if it is another block's", async () => {
  let takesHashes = false;
  let isBehind = false;
  const { ask, asked } = asking(short, ({ method, params }) => {
    if (!method.includes("eth_getProof")) return short.execution(method, params);
    if (typeof params[2] === "object" && !takesHashes) return undefined;
    // Behind a reorganisation, the number names another block.
    const block = isBehind && params[2] === "0x36" ? "0x32" : params[2];
    return short.execution(method, [params[0], params[1], block]);
  });
  const balance = await ask("eth_getBalance", CONTRACT, "latest");
  expect(asked.at(-1)?.params[2]).toBe("0x36");
  [takesHashes, isBehind] = [true, true];
  expect(await ask("eth_getBalance", CONTRACT, "latest")).toBe(balance);
  expect(asked.at(-1)?.params[2]).toEqual({ blockHash: hashOf(executed, LAST) });
});
