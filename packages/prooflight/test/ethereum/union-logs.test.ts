/** Logs that several servers name: each is proven, and none is missing if one of the servers is honest. */

import { isDeepStrictEqual } from "node:util";

import { describe, expect, test } from "vitest";

import { type NetworkProviderOptions, ProviderError } from "../../src/provider.js";
import { lengthen } from "./balanced.js";
import { executeChain } from "./execution-chain.js";
import { liesAbout, seededRandom } from "./lies.js";
import { type Answer, hashOf, providerOf, type Question, refusalOf } from "./provider-of.js";

const random = seededRandom();

type Json = Record<string, unknown>;

const chain = await executeChain();
const CONTRACT = "0x7dcd17433742f4c0ca53122ab541d0ba67fc27df";
const FILTER = { address: CONTRACT, fromBlock: "0x30" };
const REQUEST = { method: "eth_getLogs", params: [FILTER] };

const honest: Answer = ({ method, params }) => chain.execution(method, params);

/** Two servers; the second is honest. */
function union(first: Answer, options: Partial<NetworkProviderOptions> = {}) {
  const failures: string[] = [];
  const made = providerOf(
    chain,
    {
      logs: "union",
      execution: ["http://one.test", "http://two.test"],
      onFailure: ({ url, error }) => failures.push(`${new URL(url).host} ${error.reason}`),
      ...options,
    },
    (question, url) => (url.includes("one") ? first : honest)(question, url),
  );
  return { ...made, failures };
}

/** Honest, except for the reply to one method. */
const changed =
  (name: string, change: (reply: unknown) => unknown): Answer =>
  async (question, url) => {
    const reply: unknown = await honest(question, url);
    return question.method === name ? change(reply) : reply;
  };

const complete = (await providerOf(chain).provider.request(REQUEST)) as Json[];

test("are all of them, which is marked, and need neither headers nor receipts of other blocks", async () => {
  expect(complete.length).toBeGreaterThan(3);
  const { provider, asked, unproven, failures } = union(honest);
  expect(await provider.request(REQUEST)).toEqual(complete);
  expect(unproven).toEqual([REQUEST]);
  expect(failures).toEqual([]);
  const blocks = new Set(complete.map(({ blockHash }) => blockHash));
  const receipts = asked.filter(({ method }) => method === "eth_getBlockReceipts");
  expect(receipts.length).toBe(2 * blocks.size);
});

test("include those that one server leaves out", async () => {
  const [{ blockHash }] = complete as [Json];
  const { provider, failures } = union(
    changed("eth_getLogs", (logs) =>
      (logs as Json[]).filter((log) => log["blockHash"] === blockHash),
    ),
  );
  expect(await provider.request(REQUEST)).toEqual(complete);
  expect(failures).toEqual([]);
});

test("of the newest 64 blocks are all there, even if every server leaves them out", async () => {
  const { provider } = union(
    changed("eth_getLogs", () => []),
    {
      execution: ["http://one.test"],
    },
  );
  expect(await provider.request(REQUEST)).toEqual(complete);
});

test("of older blocks are missing if every server leaves them out, which onUnproven may refuse", async () => {
  const long = await lengthen(chain, { after: 40, length: 100, repeated: () => 40 });
  const silent: Answer = ({ method, params }) =>
    method === "eth_getLogs" ? [] : long.execution(method, params);
  const options = { logs: "union", heads: { latest: long.hashOf(140) } } as const;
  const request = { method: "eth_getLogs", params: [{ ...FILTER, fromBlock: "0x29" }] };
  const { provider } = providerOf(chain, options, silent);
  const logs = (await provider.request(request)) as Json[];
  expect(new Set(logs.map(({ blockNumber }) => Number(blockNumber)))).toEqual(
    new Set(Array.from({ length: 64 }, (_, index) => 77 + index)),
  );
  const { provider: strict } = providerOf(chain, { ...options, onUnproven: () => false }, silent);
  expect((await refusalOf(strict.request(request))).data.reason).toBe("unverifiable_method");
});

test.each([
  [
    "invents one",
    changed("eth_getLogs", (logs) => [...(logs as Json[]), (logs as Json[])[0]]),
    -32002,
    "invalid_answer",
  ],
  [
    "names a block outside the range",
    changed("eth_getLogs", () => [{ blockHash: hashOf(chain, 45) }]),
    -32002,
    "wrong_block",
  ],
  ["is behind", changed("eth_getBlockByNumber", () => null), -32001, "unknown_block"],
  [
    "has another block in the head's place",
    changed("eth_getBlockByNumber", (block) => ({ ...(block as Json), hash: hashOf(chain, 45) })),
    -32001,
    "unknown_block",
  ],
  ["does not answer", () => undefined, -32001, "server_error"],
] as const)("are refused if a server %s", async (_, first, code, reason) => {
  const { provider, failures, unproven } = union(first);
  const refused = await refusalOf(provider.request(REQUEST));
  expect([refused.code, refused.data.reason]).toEqual([code, reason]);
  expect(new Set(failures)).toEqual(new Set([`one.test ${reason}`]));
  expect(unproven).toEqual([]);
});

test("are refused above the limit", async () => {
  const { provider } = union(honest, { maxLogBytes: 5000 });
  expect((await refusalOf(provider.request(REQUEST))).code).toBe(-32005);
});

test("of one block, and of filters' polls, are complete", async () => {
  const { provider, asked, unproven } = union(changed("eth_getLogs", () => []));
  const [{ blockHash }] = complete as [Json];
  const params = [{ address: CONTRACT, blockHash }];
  expect(await provider.request({ method: "eth_getLogs", params })).toEqual(
    complete.filter((log) => log["blockHash"] === blockHash),
  );
  expect(asked.map(({ method }) => method)).not.toContain("eth_getLogs");
  expect(unproven).toEqual([]);
});

test("are refused, or all of them, whichever field of its replies one server changes", async () => {
  const request = { method: "eth_getLogs", params: [{ ...FILTER, fromBlock: "0x35" }] };
  const { provider, asked } = union(honest);
  const expected = await provider.request(request);
  const questions = new Map(asked.map((about) => [JSON.stringify(about), about]));
  let refused = 0;
  for (const [key, about] of questions) {
    const reply: unknown = await honest(about, "");
    for (const lie of [...liesAbout(reply, random), { path: "null", reply: null }]) {
      const answer = (question: Question) =>
        isDeepStrictEqual(question, about) ? lie.reply : honest(question, "");
      const { provider } = union(answer);
      try {
        expect(await provider.request(request), `${key} ${lie.path}`).toEqual(expected);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.data.code === "internal") throw error;
        refused += 1;
      }
    }
  }
  expect(refused).toBeGreaterThan(10);
});

describe("complete logs", () => {
  test("report their progress", async () => {
    const progress: Json[] = [];
    const { provider } = providerOf(chain, {
      onLogsProgress: (step) => progress.push({ ...step }),
    });
    expect(await provider.request(REQUEST)).toEqual(complete);
    expect(progress[0]).toMatchObject({ blocks: 7n, headers: 7, needed: undefined, receipts: 0 });
    const last = progress.at(-1) as { needed: number; receipts: number; bytes: number };
    expect(last.receipts).toBe(last.needed);
    expect(last.needed).toBeGreaterThan(0);
    const bytes = progress.map((step) => step["bytes"] as number);
    expect(bytes).toEqual([...bytes].sort((one, other) => one - other));
  });

  test("take headers alone where a server has them, else blocks", async () => {
    const { provider, asked } = providerOf(chain);
    await provider.request(REQUEST);
    const methods = asked.map(({ method }) => method);
    expect(methods).toContain("eth_getHeaderByNumber");
    expect(methods).not.toContain("eth_getBlockByNumber");
    for (const none of [undefined, null, {}]) {
      const without = providerOf(
        chain,
        {},
        changed("eth_getHeaderByNumber", () => none),
      );
      expect(await without.provider.request(REQUEST)).toEqual(complete);
    }
  });

  test("may begin before the blocks that a walk reaches, since all headers are read", async () => {
    // Before Prague, no proof leads to older blocks.
    const { provider } = providerOf(chain, { heads: { latest: hashOf(chain, 40) }, maxWalk: 4 });
    const logs = await provider.request({ method: "eth_getLogs", params: [{ fromBlock: "0x1e" }] });
    const range = { topics: [], fromBlock: "0x1e", toBlock: "0x28" };
    expect(logs).toMatchObject((await chain.execution("eth_getLogs", [range])) as Json[]);
  });

  test("are asked of no server with a misspelt option", () => {
    expect(() => providerOf(chain, { logs: "all" as never })).toThrow(/complete or union/);
  });
});
