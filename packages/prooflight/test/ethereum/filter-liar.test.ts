/**
 * For filters and subscriptions: a server that changes each field of each of its replies, alone, is never believed, and
 * a refused poll neither loses nor repeats anything.
 */

import { isDeepStrictEqual } from "node:util";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { ProviderError } from "../../src/provider.js";
import { executeChain } from "./execution-chain.js";
import { liesAbout, seededRandom } from "./lies.js";
import { STATEFUL } from "./methods.js";
import { type Answer, hashOf, providerOf, type Question } from "./provider-of.js";

const random = seededRandom();

const chain = await executeChain();
const CONTRACT = "0x7dcd17433742f4c0ca53122ab541d0ba67fc27df";

/** The head when a filter is opened, and at each poll: the chain grows twice, and goes back. */
const [FIRST, ...HEADS] = [52, 53, 54, 53] as const;

const INTERVAL = 1000;

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>;

/** A way to hear what is new. */
interface Way {
  name: string;
  open: (ask: Ask) => Promise<unknown>;
  /** What is new; `messages` are those of subscriptions. */
  poll: (ask: Ask, id: unknown, messages: unknown[]) => Promise<unknown>;
}

const polled = (name: string, ...params: unknown[]): Way => ({
  name,
  open: (ask) => ask(name, ...params),
  poll: (ask, id) => ask("eth_getFilterChanges", id),
});

const filter = { address: CONTRACT, fromBlock: "0x35" };

const WAYS: Way[] = [
  polled("eth_newBlockFilter"),
  polled("eth_newFilter", filter),
  {
    ...polled("eth_newFilter", filter),
    name: "eth_getFilterLogs",
    poll: (ask, id) => ask("eth_getFilterLogs", id),
  },
  ...["newHeads", "logs"].map((kind): Way => ({
    name: `eth_subscribe ${kind}`,
    open: (ask) => ask("eth_subscribe", kind, ...(kind === "logs" ? [filter] : [])),
    poll: (_, __, messages) => heard(messages),
  })),
];

/** What ends them; whether there was one is not a server's to say. */
const ENDS = ["eth_uninstallFilter", "eth_unsubscribe"];

beforeAll(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Questions to the heads, which begin every poll. */
let polls = 0;

/** Lets subscriptions poll, and returns what they emitted. */
async function heard(messages: unknown[]): Promise<unknown[]> {
  // The second poll begins only after the first has ended.
  const before = polls;
  while (polls < before + 2) {
    vi.advanceTimersByTime(INTERVAL);
    await turn();
  }
  return messages.splice(0);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What each poll found, `refused` if it was, or `skipped` if it was left out. */
async function follow(
  { open, poll }: Way,
  answer: Answer,
  skipped: readonly boolean[] = [],
  onRequest: (method: string) => void = () => undefined,
): Promise<{ outcomes: unknown[]; asked: Question[] }> {
  let head: number = FIRST;
  let failures = 0;
  const { provider, asked } = providerOf(
    chain,
    {
      heads: () => {
        polls += 1;
        return { latest: hashOf(chain, head) };
      },
      pollInterval: INTERVAL,
      onFailure: () => (failures += 1),
      onUnproven: () => {
        throw new Error("nothing here is unproven");
      },
    },
    answer,
  );
  const messages: unknown[] = [];
  let id: unknown;
  provider.on("message", (message: unknown) => {
    const { data, ...type } = message as { data: { subscription: unknown; result: unknown } };
    // Each provider has ids of its own.
    const isOwn = data.subscription === id;
    messages.push({ ...type, data: { ...data, subscription: isOwn } });
  });
  const ask: Ask = (method, ...params) => {
    onRequest(method);
    return provider.request({ method, params });
  };
  const outcomes: unknown[] = [];
  try {
    id = await open(ask);
    for (const [at, next] of HEADS.entries()) {
      head = next;
      if (skipped[at]) {
        outcomes.push("refused");
        continue;
      }
      const before = failures;
      // A subscription does not say that its poll was refused.
      const found = await poll(ask, id, messages).catch(refusal);
      outcomes.push(failures > before ? "refused" : found);
      if (failures > before && Array.isArray(found)) expect(found).toEqual([]);
    }
    await ask("eth_unsubscribe", id);
  } catch (error) {
    outcomes.push(refusal(error));
  }
  return { outcomes, asked };
}

function refusal(error: unknown): string {
  if (error instanceof ProviderError && error.data.code !== "internal") return "refused";
  throw error;
}

const honest: Answer = ({ method, params }) => chain.execution(method, params);

test("every method with a state of its own is asked", async () => {
  const asked = new Set(ENDS);
  for (const way of WAYS) {
    await follow(way, honest, [], (method) => asked.add(method));
  }
  expect(STATEFUL.filter((name) => !asked.has(name))).toEqual([]);
});

test.each(ENDS)("%s asks no server", async (method) => {
  const { provider, asked } = providerOf(chain);
  expect(await provider.request({ method, params: ["0x1"] })).toBe(false);
  expect(asked).toEqual([]);
});

describe("a liar about", () => {
  test.each(WAYS.map((way) => [way.name, way] as const))("%s", async (_, way) => {
    const { outcomes, asked } = await follow(way, honest);
    expect(outcomes).toHaveLength(HEADS.length);
    expect(outcomes.flat().length).toBeGreaterThan(1);
    /** What an honest server leads to if some polls are left out. */
    const expected = new Map<string, unknown[]>();
    const without = async (skipped: readonly boolean[]) => {
      const key = skipped.join();
      const known = expected.get(key) ?? (await follow(way, honest, skipped)).outcomes;
      expected.set(key, known);
      return known;
    };
    const questions = new Map(asked.map((question) => [JSON.stringify(question), question]));
    let refused = 0;
    for (const [key, about] of questions) {
      const reply = await honest(about, "");
      for (const lie of [...liesAbout(reply, random), { path: "null", reply: null }]) {
        const told = await follow(way, (question, url) =>
          isDeepStrictEqual(question, about) ? lie.reply : honest(question, url),
        );
        const skipped = told.outcomes.map((found) => found === "refused");
        if (skipped.includes(true)) refused += 1;
        // Without an open filter, nothing is polled.
        if (told.outcomes.length < HEADS.length) expect(told.outcomes).toEqual(["refused"]);
        else expect(told.outcomes, `${key} ${lie.path}`).toEqual(await without(skipped));
      }
    }
    expect(refused).toBeGreaterThan(0);
  });
});
