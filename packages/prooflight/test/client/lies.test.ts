/** Every lie of the lying proxy is refused, and does not keep the client from an honest server. */

import { describe, expect, test } from "vitest";

import type { Answer, Hex, Options, RangeOptions } from "../../src/index.js";
import { LightClient, toHex } from "../../src/index.js";
import type { Network, Question } from "../network/setup.js";
import { alice, deleted, empty, listAt, NEWEST, nobody, stateAt } from "../network/state.js";
import { changesOf, lastChanges, lastChangesIn, steps } from "./changes.js";
import { failures, honest, liar, network, turncoat } from "./network.js";
import { rejection, verdict } from "../refusal.js";

type Lie = Network["lies"][number];

const OLDER = 9n;
/** After which block a diff counts changes. */
const BEFORE = 4n;
const keys = [alice, nobody, empty] as const;

/** Asks a client; gives what it says in a form that can be compared. */
const questions: Record<Question, (client: LightClient, signal?: AbortSignal) => Promise<unknown>> =
  {
    sync: async (client) => (await client.sync()).height,
    get: async (client) => values([await client.get(alice)]),
    "get at height": async (client) => values([await client.get(alice, { at: OLDER })]),
    "get at hash": async (client) => values([await client.get(alice, { at: olderHash })]),
    "get many": async (client) => values(await client.getMany(keys)),
    "get by smt": async (client) => values([await client.get(alice, { scheme: "smt" })]),
    "get by smt at height": async (client) =>
      values([await client.get(alice, { scheme: "smt", at: OLDER })]),
    "get by lvmt": async (client) => values([await client.get(alice, { scheme: "lvmt" })]),
    "get by lmpt": async (client) => values([await client.get(alice, { scheme: "lmpt" })]),
    "get by lmpt at height": async (client) =>
      values([await client.get(alice, { scheme: "lmpt", at: OLDER })]),
    "get deleted by lmpt": async (client) =>
      values([await client.get(deleted, { scheme: "lmpt" })]),
    history: async (client) => steps(await client.history(deleted, { from: 1n })),
    "history to height": async (client) =>
      steps(await client.history(deleted, { from: 1n, to: OLDER })),
    diff: async (client) => lastChanges(await client.diff({ from: BEFORE })),
    "diff to height": async (client) => lastChanges(await client.diff({ from: BEFORE, to: OLDER })),
    // In pages, so that the second one can be told apart from the first.
    range: (client) => listOf(client, { pageSize: 16 }),
    "range reversed": (client) => listOf(client, { pageSize: 16, reverse: true }),
    count: async (client) => (await client.count()).count,
    blocks: async (client, signal) => {
      const { value } = await client.blocks({ from: OLDER, signal }).next();
      return value && [value.header.height, value.operations.length, toHex(value.digest)];
    },
  };

/** The network's setup is one for development. */
const trust = { checkpoint: network.pinned, allowInsecureSetup: true };
const honestly = await LightClient.connect({ urls: [network.url], ...trust });
const olderHash = toHex((await honestly.get(nobody, { at: OLDER })).block.hash) as Hex;
const answers = await (async () => {
  const entries = Object.entries(questions).map(
    async ([question, ask]) => [question, await ask(honestly)] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as Record<Question, unknown>;
})();

test("an honest server's answers are right", () => {
  const before = stateAt(OLDER).get(alice);
  expect(answers).toEqual({
    sync: NEWEST,
    get: [stateAt(NEWEST).get(alice)],
    "get at height": [before],
    "get at hash": [before],
    "get many": keys.map((key) => stateAt(NEWEST).get(key)),
    "get by smt": [stateAt(NEWEST).get(alice)],
    "get by smt at height": [before],
    "get by lvmt": [stateAt(NEWEST).get(alice)],
    "get by lmpt": [stateAt(NEWEST).get(alice)],
    "get by lmpt at height": [before],
    "get deleted by lmpt": [undefined],
    history: changesOf(deleted, 1n, NEWEST),
    "history to height": changesOf(deleted, 1n, OLDER),
    diff: lastChangesIn(BEFORE + 1n, NEWEST),
    "diff to height": lastChangesIn(BEFORE + 1n, OLDER),
    range: listAt(NEWEST),
    "range reversed": listAt(NEWEST).reverse(),
    count: BigInt(listAt(NEWEST).length),
    blocks: [OLDER, 2, expect.stringMatching(/^0x[0-9a-f]{66}$/)],
  });
});

test("there are lies of every family", () => {
  expect(network.lies.length).toBeGreaterThan(100);
  expect(new Set(network.lies.map(({ name }) => name)).size).toBe(network.lies.length);
});

describe.concurrent.each(network.lies)("$name is refused with $code, $reason", (lie) => {
  const expected = `${lie.code} / ${lie.reason}`;
  const theLie = { url: `${network.liar}/`, verdict: expected };

  test.each(lie.to)("%s, where nobody else is asked", async (question) => {
    const { heard, answer } = lied(lie, question, [liar("x")]);
    expect(verdict(await rejection(answer))).toBe(expected);
    expect(heard).toContainEqual(theLie);
  });

  test.each(lie.to)("%s, and then an honest server is asked", async (question) => {
    const { heard, answer } = lied(lie, question, [liar("x"), honest]);
    expect(await answer).toEqual(answers[question]);
    expect(heard).not.toHaveLength(0);
    expect(heard).toEqual(heard.map(() => theLie));
  });
});

/** Asks a client to which the server `x` tells a lie, from the start or once it is connected. */
function lied({ name, code, reason }: Lie, question: Question, urls: string[]) {
  const { heard, onFailure } = failures();
  const server = turncoat(liar("x"), question === "sync" ? liar(name) : honest);
  const stop = new AbortController();
  const options: Options = {
    ...{ urls, ...trust, fetch: server.fetch },
    ...(reason === "request_timeout" && { timeout: 2000 }),
    ...(reason === "invalid_reply" && { maxReplyBytes: 2 ** 20 }),
    onFailure: (failure) => {
      onFailure(failure);
      // Blocks wait for servers to come back.
      if (urls.length === 1 && question === "blocks" && code === "unavailable")
        stop.abort(failure.error);
    },
  };
  const ask = async () => {
    const client = await LightClient.connect(options);
    server.to(liar(name));
    return questions[question](client, stop.signal).finally(() => {
      client.close();
    });
  };
  return { heard, answer: ask() };
}

async function listOf(client: LightClient, options: RangeOptions): Promise<[Hex, Hex][]> {
  const entries: [Hex, Hex][] = [];
  for await (const page of client.range(options)) {
    entries.push(
      ...page.entries.map(({ key, value }): [Hex, Hex] => [toHex(key) as Hex, toHex(value) as Hex]),
    );
  }
  return entries;
}

function values(results: Answer[]): (string | undefined)[] {
  return results.map((result) => (result.kind === "present" ? toHex(result.value) : undefined));
}
