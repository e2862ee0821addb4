import { describe, expect, onTestFinished, test } from "vitest";

import { type CallInput, EthereumClient, type Failure } from "../../src/ethereum.js";
import { createProvider } from "../../src/provider.js";
import { type SignedHead, signed } from "./provable.js";
import { questionsOf } from "./questions.js";
import { OWN } from "./recorded.js";
import type { Served } from "./serve.js";
import { connect, honest, listen, MAX_AGE } from "./servers.js";

/** The newest signed head, of which most is recorded. */
const [example] = [...signed].sort(
  (one, other) => questionsOf(other.one, other.head).length - questionsOf(one.one, one.head).length,
);

/** Only asked for where there is an example. */
function given(example: SignedHead | undefined): SignedHead {
  if (!example) throw new Error("no signed head");
  return example;
}

test.runIf(OWN)("there are signed heads", () => {
  expect(signed.map(({ one }) => one.name)).toEqual(["eth_call1", "eth_getLogs1"]);
});

describe.each(signed.map((given) => [given.name, given] as const))("%s", (_, given: SignedHead) => {
  const { one, head: served } = given;
  const answers = honest(served);
  const start = connect(served, answers);

  test("the head is the recorded block", async () => {
    const client = await start;
    expect(client.latest.slot).toBe(served.slot);
    expect(client.latest.executionBlockHash).toBe(served.hash);
    expect(client.latest.participation?.of).toBe(512);
    expect(client.finalized.slot).toBeLessThan(client.latest.slot);
    const block = await client.block("latest");
    expect(block.number).toBe(served.number);
    expect(await client.block(block.hash)).toEqual(block);
    expect(await client.block(block.number)).toEqual(block);
  });

  test("a beacon node that answers in JSON leads to the same heads", async () => {
    const client = await connect(served, honest(served, true));
    expect(client.latest).toEqual((await start).latest);
    expect(client.finalized).toEqual((await start).finalized);
  });

  test("a client continues from its state", async () => {
    const state = (await start).export();
    const client = await connect(served, answers, { state });
    expect(client.latest).toEqual((await start).latest);
  });

  test.each(questionsOf(one, served).map((question) => [question.name, question] as const))(
    "%s",
    async (_, { ask, check }) => {
      check(await ask(await start));
    },
  );
});

test.runIf(example)("servers over HTTP, of which the first of each kind lies", async () => {
  const { one, head: served } = given(example);
  const honestly = await listen(honest(served));
  const lying = await listen((asked) => lie(served, asked));
  onTestFinished(honestly.close);
  onTestFinished(lying.close);
  const failures: Failure[] = [];
  const client = await EthereumClient.connect({
    network: served.network,
    checkpoint: served.checkpoint,
    beacon: [lying.url, honestly.url],
    execution: [lying.url, `${honestly.url}/`],
    maxCheckpointAge: MAX_AGE,
    now: () => served.now,
    onFailure: (failure) => failures.push(failure),
  });
  for (const { ask, check } of questionsOf(one, served)) check(await ask(client));
  expect(new Set(failures.map(({ url }) => url))).toEqual(new Set([`${lying.url}/`]));
  expect(failures.map(({ error }) => error.code)).toContain("mismatch");
});

test.runIf(example)("a platform without fetch needs the option", async () => {
  const { head: served } = given(example);
  const { fetch } = globalThis;
  Reflect.deleteProperty(globalThis, "fetch");
  try {
    const options = { maxCheckpointAge: MAX_AGE, now: () => served.now };
    const { checkpoint } = served;
    const urls = { beacon: ["http://beacon.test"], execution: ["http://execution.test"] };
    await expect(
      EthereumClient.connect({ network: served.network, checkpoint, ...urls, ...options }),
    ).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("the option fetch") as string,
    });
  } finally {
    globalThis.fetch = fetch;
  }
});

test.runIf(OWN)("a client is the trust of a provider", async () => {
  const { head: served } = given(example);
  const client = await connect(served, honest(served));
  const asked = { method: "eth_getBalance", params: [USDC, "latest"] };
  const provider = (answer: (proof: object) => unknown) =>
    createProvider({
      provider: {
        request: ({ method, params }) =>
          Promise.resolve(answer(served.execution(method, params as unknown[]) as object)),
      },
      chainId: 1,
      trust: (block) => client.block(block),
    });
  expect(await provider((proof) => proof).request({ method: "eth_blockNumber" })).toBe(
    `0x${served.number.toString(16)}`,
  );
  const { balance } = await client.account(USDC);
  expect(await provider((proof) => proof).request(asked)).toBe(`0x${balance.toString(16)}`);
  const liar = provider((proof) => ({ ...proof, balance: "0xffff" }));
  await expect(liar.request(asked)).rejects.toMatchObject({ code: -32002 });
});

const called = OWN ? signed.find(({ one }) => one.asked?.method === "eth_call") : undefined;

describe.runIf(called)("the recorded call, of a token behind a proxy", () => {
  const [input] = (called?.one.asked?.params ?? []) as [CallInput];

  test("returns what another program recorded", async () => {
    const { one, head: served } = given(called);
    const client = await connect(served, honest(served));
    const answer = await client.call(input);
    expect(answer).toMatchObject({
      data: one.asked?.expected,
      block: { hash: served.hash, number: served.number },
    });
    expect(answer.rounds).toBeGreaterThan(1);
    expect(answer.gasUsed).toBe(31_271n);
    const again = await client.call(input, { at: served.hash });
    expect(again).toEqual({ ...answer, rounds: 0, bytes: 0 });
  });

  test.each([
    ["eth_getProof", "11c04f6834033e", "11c04f6834033f"],
    ["eth_getCode", "0x6080", "0x6081"],
  ])("is not answered if %s is a lie", async (method, honestPart, lie) => {
    const { head: served } = given(called);
    const client = await connect(served, (asked) => {
      const answer = honest(served)(asked);
      const isLie = "method" in asked && asked.method === method;
      if (!isLie || answer === undefined) return answer;
      return JSON.parse(JSON.stringify(answer).replaceAll(honestPart, lie)) as unknown;
    });
    await expect(client.call(input)).rejects.toMatchObject({ code: "mismatch" });
  });
});

/** The contract of which the case of the repository has a proof. */
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/** Honest bytes with one changed bit in SSZ, and an honest block with another state. */
function lie(served: Served, asked: Parameters<ReturnType<typeof honest>>[0]): unknown {
  const answer = honest(served)(asked);
  if (answer instanceof Uint8Array) {
    const changed = Uint8Array.from(answer);
    changed[200] = (changed[200] ?? 0) ^ 1;
    return changed;
  }
  if (!("method" in asked) || asked.method !== "eth_getBlockByHash") return answer;
  return { ...(answer as object), stateRoot: `0x${"11".repeat(32)}` };
}
