import { afterAll, describe, expect, test } from "vitest";

import { EthereumClient, type Failure } from "../../src/ethereum.js";
import { createProvider } from "../../src/provider.js";
import { questionsOf } from "./questions.js";
import { OWN, readCases, serve, type Served } from "./recorded.js";
import { connect, honest, listen } from "./servers.js";

const cases = readCases();
const closing: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** The cases that can be served, and what the others lack. */
const served = await Promise.all(cases.map(async (one) => ({ one, served: await serve(one) })));

const provable = served.flatMap(({ one, served }) => {
  if (typeof served === "string") return [];
  const questions = questionsOf(one, served);
  return typeof questions === "string" ? [] : [{ one, served, questions }];
});

for (const { one, served: how } of served) {
  const lacks = typeof how === "string" ? how : questionsOf(one, how);
  if (typeof lacks === "string") test.skip(`${one.name} lacks: ${lacks}`, () => undefined);
}

test("there are provable cases", () => {
  expect(provable.map(({ one }) => one.name)).toEqual(
    OWN ? ["eth_call1", "eth_getLogs1"] : expect.arrayContaining([expect.any(String)]),
  );
});

describe.each(provable.map((one) => [one.one.name, one] as const))("%s", (_, given) => {
  const answers = honest(given.served);
  const start = connect(given.served, answers);

  test("the head is the recorded block", async () => {
    const client = await start;
    expect(client.latest.slot).toBe(BigInt(given.one.pair?.parent.message.slot ?? 0));
    expect(client.latest.participation?.of).toBe(512);
    expect(client.finalized.slot).toBeLessThan(client.latest.slot);
    const block = await client.block("latest");
    expect(block.number).toBe(given.served.number);
    expect(await client.block(block.hash)).toEqual(block);
    expect(await client.block(block.number)).toEqual(block);
  });

  test("a beacon node that answers in JSON leads to the same heads", async () => {
    const client = await connect(given.served, honest(given.served, true));
    expect(client.latest).toEqual((await start).latest);
    expect(client.finalized).toEqual((await start).finalized);
  });

  test("a client continues from its state", async () => {
    const state = (await start).export();
    const client = await connect(given.served, answers, { state });
    expect(client.latest).toEqual((await start).latest);
  });

  test.each(given.questions.map((question) => [question.name, question] as const))(
    "%s",
    async (_, { ask, check }) => {
      check(await ask(await start));
    },
  );
});

test("servers over HTTP, of which the first of each kind lies", async () => {
  const [{ served, questions }] = provable as [(typeof provable)[0]];
  const honestly = await listen(honest(served));
  const lying = await listen((asked) => lie(served, asked));
  closing.push(honestly.close, lying.close);
  const failures: Failure[] = [];
  const client = await EthereumClient.connect({
    network: "mainnet",
    checkpoint: served.checkpoint,
    beacon: [lying.url, honestly.url],
    execution: [lying.url, `${honestly.url}/`],
    maxCheckpointAge: 60 * 24 * 3600 * 1000,
    now: () => served.now,
    onFailure: (failure) => failures.push(failure),
  });
  for (const { ask, check } of questions) check(await ask(client));
  expect(new Set(failures.map(({ url }) => url))).toEqual(new Set([`${lying.url}/`]));
  expect(failures.map(({ error }) => error.code)).toContain("mismatch");
});

test("a platform without fetch needs the option", async () => {
  const [{ served }] = provable as [(typeof provable)[0]];
  const { fetch } = globalThis;
  Reflect.deleteProperty(globalThis, "fetch");
  try {
    const options = { maxCheckpointAge: 60 * 24 * 3600 * 1000, now: () => served.now };
    const { checkpoint } = served;
    const urls = { beacon: ["http://beacon.test"], execution: ["http://execution.test"] };
    await expect(
      EthereumClient.connect({ network: "mainnet", checkpoint, ...urls, ...options }),
    ).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("the option fetch") as string,
    });
  } finally {
    globalThis.fetch = fetch;
  }
});

test.runIf(OWN)("a client is the trust of a provider", async () => {
  const [{ served }] = provable as [(typeof provable)[0]];
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
