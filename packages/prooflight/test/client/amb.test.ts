/** Ordered keys: complete lists in pages, their number, values and histories of the past. */

import { describe, expect, test, vi } from "vitest";

import {
  fromHex,
  type LightClient,
  type RangeOptions,
  type RangePage,
  toBundle,
  toHex,
  verifyBundle,
} from "../../src/index.js";
import { alice, deleted, listAt, NEWEST, nobody, stateAt } from "../network/state.js";
import { rejection, verdict } from "../refusal.js";
import { changesOf, steps } from "./changes.js";
import { connect, failures, liar, network } from "./network.js";

const scheme = "amb";

async function pagesOf(client: LightClient, options: RangeOptions): Promise<RangePage[]> {
  const pages = [];
  for await (const page of client.range(options)) pages.push(page);
  return pages;
}

const entriesOf = (pages: RangePage[]) =>
  pages.flatMap(({ entries }) => entries.map(({ key, value }) => [toHex(key), toHex(value)]));

describe("range", () => {
  test.each(["latest", 3n, 9n] as const)("lists every key with a value at %s", async (at) => {
    const client = await connect();
    const pages = await pagesOf(client, { at, pageSize: 7 });
    const height = at === "latest" ? NEWEST : at;
    expect(entriesOf(pages)).toEqual(listAt(height));
    expect(pages.length).toBeGreaterThan(8);
    expect(pages.map(({ next }) => next === null)).toEqual(
      pages.map((_, index) => index === pages.length - 1),
    );
    for (const { block, evidence } of pages) {
      expect(block.height).toBe(height);
      expect(evidence).toMatchObject({ scheme, head: client.head });
    }
  });

  test("lists in descending order", async () => {
    const pages = await pagesOf(await connect(), { reverse: true, pageSize: 16 });
    expect(entriesOf(pages)).toEqual(listAt(NEWEST).reverse());
  });

  test("lists what is between two bounds, or begins with a prefix", async () => {
    const client = await connect();
    const [from, to] = [{ text: "account/user 2" }, { text: "account/user 4" }];
    const between = listAt(NEWEST).filter(
      ([key]) => key >= hex("account/user 2") && key < hex("account/user 4"),
    );
    expect(entriesOf(await pagesOf(client, { from, to }))).toEqual(between);
    const prefix = listAt(NEWEST).filter(([key]) => key.startsWith(hex("account/user 1")));
    expect(entriesOf(await pagesOf(client, { prefix: { text: "account/user 1" } }))).toEqual(
      prefix,
    );
    expect(entriesOf(await pagesOf(client, { prefix: { text: "b" } }))).toEqual([]);
  });

  test.each([false, true])("goes on after a limit (reversed: %s)", async (reverse) => {
    const client = await connect();
    const [first] = await pagesOf(client, { limit: 5, reverse });
    const next = first?.next ?? undefined;
    const rest = await pagesOf(client, reverse ? { reverse, to: next } : { from: next });
    const all = reverse ? listAt(NEWEST).reverse() : listAt(NEWEST);
    expect(entriesOf(first ? [first] : [])).toEqual(all.slice(0, 5));
    expect(entriesOf(rest)).toEqual(all.slice(5));
  });

  test("refuses wrong options at once", async () => {
    const client = await connect();
    const wrong: RangeOptions[] = [
      { from: { text: "b" }, to: { text: "a" } },
      { from: alice, to: alice },
      { prefix: alice, from: alice },
      { limit: 0 },
      { limit: 1.5 },
      { pageSize: 4097 },
      { maxEmptyPages: -1 },
      { at: -1n },
    ];
    for (const options of wrong) {
      expect(() => client.range(options)).toThrow(
        expect.objectContaining({ reason: "invalid_argument" }) as Error,
      );
    }
    expect(() => client.range({ from: new Uint8Array(258) })).toThrow(
      expect.objectContaining({ reason: "key_length" }) as Error,
    );
    expect(() => client.range({ scheme: "smt" })).toThrow(
      expect.objectContaining({ reason: "unknown_statement" }) as Error,
    );
  });

  test("does not ask for one key after another where newer keys are before the first", async () => {
    const client = await connect();
    const pages = await pagesOf(client, { at: 1n, limit: 1, maxEmptyPages: 2 });
    expect(entriesOf(pages)).toEqual(listAt(1n).slice(0, 1));
  });

  test.each([false, true])(
    "walks over keys that were all written later (reversed: %s)",
    async (reverse) => {
      const client = await connect();
      const pages = await pagesOf(client, { at: 0n, pageSize: 4, maxEmptyPages: 0, reverse });
      expect(entriesOf(pages)).toEqual([]);
      expect(pages).toHaveLength(16);
    },
  );

  test.each([false, true])(
    "takes no more pages than keys from a server that sends one at a time (reversed: %s)",
    async (reverse) => {
      const client = await connect({ fetch: oneKeyAPage });
      const all = reverse ? listAt(3n).reverse() : listAt(3n);
      const pages = await pagesOf(client, { at: 3n, maxEmptyPages: 0, reverse });
      expect(entriesOf(pages)).toEqual(all);
      expect(pages.length).toBeGreaterThan(60);
      expect(pages.length).toBeLessThanOrEqual(stateAt(NEWEST).size + 1);
    },
  );

  test.each([0, 5])("leaves a server after %i pages that open nothing", async (maxEmptyPages) => {
    const { heard, onFailure } = failures();
    const client = await connect({ urls: [liar("amb-empty-pages")], onFailure });
    for (const reverse of [false, true]) {
      const pages: RangePage[] = [];
      const walk = async () => {
        for await (const page of client.range({ maxEmptyPages, reverse })) pages.push(page);
      };
      expect(verdict(await rejection(walk()))).toBe("unavailable / too_many_pages");
      expect(pages).toHaveLength(maxEmptyPages);
    }
    expect(heard.map(({ verdict }) => verdict)).toContain("unavailable / too_many_pages");
  });

  test.each([
    ["0x61ff", "0x62"],
    ["0x61ffff", "0x62"],
    ["0xff", null],
    ["0xffff", null],
  ] as const)("asks for the prefix %s up to %s", async (prefix, hi) => {
    const asked: unknown[] = [];
    const client = await connect({
      fetch: (url, init) => {
        const body = typeof init?.body === "string" ? init.body : "{}";
        const call = JSON.parse(body) as { method?: string; params: { hi?: string } };
        if (call.method === "prooflight_range") asked.push(call.params.hi ?? null);
        return fetch(url, init);
      },
    });
    const before = { to: prefix };
    expect(entriesOf(await pagesOf(client, { prefix }))).toEqual([]);
    expect(asked).toEqual([hi]);
    expect(entriesOf(await pagesOf(client, before))).toHaveLength(listAt(NEWEST).length);
  });

  test("takes a last page without an entry from a server that may send none", async () => {
    const client = await connect();
    expect(await pagesOf(client, { prefix: { text: "b" }, maxEmptyPages: 0 })).toHaveLength(1);
  });

  test("ends with its signal", async () => {
    const client = await connect();
    const stop = new AbortController();
    const walk = client.range({ pageSize: 4, signal: stop.signal });
    await walk.next();
    stop.abort(new Error("enough"));
    await expect(walk.next()).rejects.toThrow("enough");
  });
});

describe("count", () => {
  test("is that of the list", async () => {
    const client = await connect();
    const { count, block, evidence } = await client.count();
    expect(count).toBe(BigInt(listAt(NEWEST).length));
    expect(block).toEqual(client.head);
    expect(evidence).toMatchObject({ scheme });
    const some = await client.count({ prefix: { text: "account/user 1" } });
    expect(some.count).toBe(11n);
  });
});

test("an inherited member does not let another block pass for the one that was asked for", async () => {
  const client = await connect({
    fetch: (url, init) => {
      const body = typeof init?.body === "string" ? init.body : "";
      return fetch(url, { ...init, body: body.replace('"at":"0x9"', '"at":"0x8"') });
    },
  });
  const member = { value: 0n, configurable: true };
  Object.defineProperty(Object.prototype, "newest", member);
  try {
    expect(verdict(await rejection(client.count({ at: 9n })))).toBe("mismatch / wrong_block");
    const value = client.get(alice, { scheme: "smt", at: 9n });
    expect(verdict(await rejection(value))).toBe("mismatch / wrong_block");
  } finally {
    Reflect.deleteProperty(Object.prototype, "newest");
  }
});

test("the newest root proves the values at every block", async () => {
  const client = await connect();
  const keys = [alice, deleted, nobody];
  for (let at = 1n; at <= NEWEST; at++) {
    const answers = await client.getMany(keys, { scheme, at });
    expect(
      answers.map((answer) => (answer.kind === "present" ? toHex(answer.value) : undefined)),
    ).toEqual(keys.map((key) => stateAt(at).get(key)));
    expect(answers[0]?.block.height).toBe(at);
  }
  const hash = toHex((await client.get(nobody, { scheme, at: 9n })).block.hash);
  expect(await client.get(alice, { scheme, at: hash as `0x${string}` })).toMatchObject({
    value: fromHex(stateAt(9n).get(alice) ?? ""),
  });
});

test.each(["latest", 9n] as const)("an answer at %s is saved, and verified again", async (at) => {
  const client = await connect();
  const answer = await client.get(alice, { scheme, at });
  const bundle = toBundle(answer);
  vi.stubGlobal("fetch", undefined);
  const { header, results } = await verifyBundle(bundle, { checkpoint: network.pinned });
  vi.unstubAllGlobals();
  expect(header).toEqual(answer.block);
  expect(results).toMatchObject([{ kind: "present", since: (answer as { since: bigint }).since }]);
});

test.each([undefined, 9n])("every change up to %s, saved and verified again", async (to) => {
  const client = await connect();
  const history = await client.history(deleted, { scheme, from: 1n, to });
  expect(steps(history)).toEqual(changesOf(deleted, 1n, to ?? NEWEST));
  expect(history.entering).toEqual({ kind: "absent" });
  const again = await verifyBundle(toBundle(history), { checkpoint: network.pinned });
  expect(steps(again)).toEqual(steps(history));
});

test("an average and a diff are not proven by amb", async () => {
  const client = await connect();
  const error = await rejection(client.twap(alice, { from: 1n, scheme }));
  expect(verdict(error)).toBe("unsupported / unknown_statement");
});

/** Asks for pages of one key, whatever the client wants. */
const oneKeyAPage: typeof fetch = (url, init) => {
  const body = typeof init?.body === "string" ? init.body : "";
  return fetch(url, { ...init, body: body.replace(/"limit":\d+/, '"limit":1') });
};

const hex = (text: string) => toHex(new TextEncoder().encode(text));
