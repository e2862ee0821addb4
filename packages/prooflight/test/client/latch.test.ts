/** After two histories were seen, no member of a client answers: whatever members it has, and whatever was under way. */

import { beforeAll, describe, expect, test } from "vitest";

import { createProvider } from "../../src/provider.js";
import {
  EquivocationError,
  type Header,
  LightClient,
  type Options,
  type RangePage,
} from "../../src/index.js";
import type { Controlled } from "../network/control.js";
import { alice } from "../network/state.js";
import { equivocation } from "./evidence.js";
import { begin, connect, Events, fork, pay, turncoat } from "./network.js";

const SERVER = "http://server.example/";
const scheme = "lvmt";

let one: Controlled;
let other: Controlled;

beforeAll(async () => {
  one = await begin("avl,lvmt,smt,amb");
  other = await fork(one);
  for (const value of ["1.00", "2.00"]) await pay(one, value);
  for (const value of ["1.10", "2.10"]) await pay(other, value);
});

/** A client, its server, and a way to hold its next request until another call has seen the other history. */
async function client(options: Partial<Options> = {}) {
  const server = turncoat(SERVER, one.url);
  const [held, release] = [new Events<true>(), new Events<"answer" | "fail">()];
  let [hold, asked] = [false, 0];
  const made = await connect({
    ...{ urls: [SERVER], checkpoint: one.checkpoint, pollInterval: 50, allowInsecureSetup: true },
    ...options,
    fetch: async (...call) => {
      const isHeld = hold;
      [hold, asked] = [false, asked + 1];
      const response = await server.fetch(...call);
      if (isHeld) {
        held.add(true);
        if ((await release.first()) === "fail") throw new Error("broken off");
      }
      return response;
    },
  });
  return {
    client: made,
    /** How many requests it has sent. */
    asked: () => asked,
    /** Stops the client; returns the error. */
    stop: async () => {
      server.to(other.url);
      const error = await equivocation(made.sync());
      server.to(one.url);
      return error;
    },
    holdNext: () => {
      hold = true;
      return held.first();
    },
    release: (outcome: "answer" | "fail" = "answer") => {
      release.add(outcome);
    },
  };
}

const SHARDED: Partial<Options> = { urls: [{ url: SERVER, shard: { bits: 0, value: 0 } }] };

/** What a member gives: an iterator's first item, a promise's value, or what a getter or function returns. */
async function resultOf(use: () => unknown): Promise<unknown> {
  const given = await use();
  const isIterator = typeof given === "object" && given !== null && Symbol.asyncIterator in given;
  return isIterator ? (given as AsyncGenerator).next() : given;
}

/** Questions by the member that asks them; the client has no other members that ask. */
const QUESTIONS: Record<string, (client: LightClient) => unknown> = {
  sync: (client) => client.sync(),
  get: (client) => client.get(alice),
  getMany: (client) => client.getMany([alice], { scheme }),
  history: (client) => client.history(alice, { from: 0n }),
  diff: (client) => client.diff({ from: 0n }),
  twap: (client) => client.twap(alice, { from: 1n }),
  range: (client) => client.range(),
  count: (client) => client.count(),
  blocks: (client) => client.blocks({ from: 1n }),
};

/** Members that ask no question. */
const SYNCHRONOUS = ["head", "schemes", "onHead", "exportCheckpoint"];

/** What a stopped client may still do; the evidence is in the error that all others throw. */
const FREE = ["close"];

const members = Reflect.ownKeys(LightClient.prototype).filter((name) => name !== "constructor");

test("every member of a client is known to ask, or not to", () => {
  expect(Object.getPrototypeOf(LightClient.prototype)).toBe(Object.prototype);
  const known = [...Object.keys(QUESTIONS), ...SYNCHRONOUS, ...FREE];
  expect(members.map(String).sort()).toEqual(known.sort());
});

describe.each<[string, Partial<Options>]>([
  ["one server", {}],
  ["servers of shards", SHARDED],
])("a client of %s that was stopped", (_, options) => {
  const checked = members.filter((name) => !FREE.includes(String(name)));

  test.each(checked)("throws its error from %s, and asks no server", async (name) => {
    const { client: stopped, stop, asked } = await client(options);
    const error = await stop();
    const before = asked();
    const use = () => {
      const member = Reflect.get(stopped, name) as unknown;
      return typeof member === "function" ? (member.call(stopped) as unknown) : member;
    };
    expect(await equivocation(resultOf(use))).toBe(error);
    expect(asked()).toBe(before);
  });

  const underWay = Object.entries(QUESTIONS).flatMap(([name, ask]) =>
    (["answer", "fail"] as const).map((outcome) => [name, outcome, ask] as const),
  );
  test.each(underWay)("throws it where %s was under way, to %s", async (_, outcome, ask) => {
    const { client: stopped, stop, holdNext, release } = await client(options);
    const held = holdNext();
    const answer = equivocation(resultOf(() => ask(stopped)));
    await held;
    const error = await stop();
    release(outcome);
    expect(await answer).toBe(error);
  });
});

test("what a stopped client may do does not throw", async () => {
  const { client: stopped, stop } = await client();
  const error = await stop();
  for (const name of FREE) (Reflect.get(stopped, name) as () => void).call(stopped);
  expect(error.evidence.height).toBe(2n);
});

describe("an iterator that was begun throws the error", () => {
  test("of blocks that have come", async () => {
    const { client: stopped, stop } = await client();
    const blocks = stopped.blocks({ from: 1n });
    await blocks.next();
    const error = await stop();
    expect(await equivocation(blocks.next())).toBe(error);
  });

  test("of blocks that have not come, at once", async () => {
    const { client: stopped, stop } = await client({ pollInterval: 2 ** 30 });
    const blocks = stopped.blocks({ from: 2n });
    await blocks.next();
    const next = equivocation(blocks.next());
    const error = await stop();
    expect(await next).toBe(error);
  });

  test.each([1, undefined])(
    "of pages, also after the last one, with a limit of %s",
    async (limit) => {
      const { client: stopped, stop } = await client();
      const pages = stopped.range({ limit });
      const { value } = (await pages.next()) as { value: RangePage };
      expect(value.entries).toHaveLength(1);
      const error = await stop();
      expect(await equivocation(pages.next())).toBe(error);
    },
  );
});

describe("who follows heads", () => {
  test("hears the error at once, and no head any more", async () => {
    const { client: stopped, stop } = await client({ pollInterval: 2 ** 30 });
    const [heads, errors] = [new Events<Header>(), new Events<unknown>()];
    stopped.onHead(heads.add, errors.add);
    await heads.first();
    const error = await stop();
    expect(errors.all).toEqual([error]);
    expect(heads.all).toHaveLength(1);
  });

  test("hears no head that was known before, if the client stops meanwhile", async () => {
    const { client: stopped, stop, holdNext, release } = await client({ pollInterval: 2 ** 30 });
    const heads = new Events<Header>();
    stopped.onHead(heads.add);
    await heads.first();
    // The head that is under way for the first subscriber of a client that has none.
    stopped.close();
    const held = holdNext();
    const [late, errors] = [new Events<Header>(), new Events<unknown>()];
    stopped.onHead(late.add, errors.add);
    await held;
    const error = await stop();
    release();
    expect(await errors.first()).toBe(error);
    await expect(stopped.sync()).rejects.toBe(error);
    expect(late.all).toEqual([]);
  });
});

test("a provider whose trust() asks the client answers nothing that rests on it", async () => {
  const { client: stopped, stop } = await client();
  const provider = createProvider({
    provider: { request: () => Promise.reject(new Error("nobody is asked")) },
    chainId: 1,
    trust: () => {
      const { height, hash } = stopped.head;
      return { number: height, hash, stateRoot: new Uint8Array(32) };
    },
  });
  expect(await provider.request({ method: "eth_blockNumber" })).toBe("0x2");
  await stop();
  const address = `0x${"11".repeat(20)}`;
  for (const [method, ...params] of [
    ["eth_blockNumber"],
    ["eth_getBalance", address],
    ["eth_getTransactionCount", address],
    ["eth_getStorageAt", address, "0x0"],
    ["eth_getCode", address],
    ["eth_getProof", address, []],
  ] as const) {
    const error = await provider.request({ method, params }).then(
      () => undefined,
      (error: unknown) => error as { code: number; cause: unknown },
    );
    expect(error?.code).toBe(-32002);
    expect(error?.cause).toBeInstanceOf(EquivocationError);
  }
});
