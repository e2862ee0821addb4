/** What a client answers when its servers are honest. */

import { describe, expect, test, vi } from "vitest";

import type { GetOptions, Hex, Key } from "../../src/index.js";
import { fromHex, LightClient, toHex } from "../../src/index.js";
import {
  account,
  alice,
  deleted,
  empty,
  NEWEST,
  nobody,
  PINNED,
  stateAt,
} from "../network/state.js";
import { begin, connect, honest, liar, network } from "./network.js";
import { rejection, verdict } from "../refusal.js";

const client = await LightClient.connect({ urls: [network.url], checkpoint: network.pinned });

test("connect accepts the newest head", async () => {
  expect(client.head.height).toBe(NEWEST);
  expect((await client.sync()).hash).toEqual(client.head.hash);
  const fromGenesis = await connect({ checkpoint: network.genesis });
  expect(fromGenesis.head).toEqual(client.head);
});

describe("get", () => {
  test("gives a value with the block it holds at and what it took", async () => {
    const answer = await client.get(alice);
    expect(answer).toMatchObject({
      ...{ kind: "present", value: fromHex(stateAt(NEWEST).get(alice) ?? "") },
      ...{ key: fromHex(alice), block: client.head },
      evidence: { head: client.head, server: `${network.url}/` },
    });
    expect(answer.evidence.proofBytes).toBeGreaterThan(100);
    expect(answer.evidence.milliseconds).toBeGreaterThanOrEqual(0);
  });

  test("tells an empty value from an absent key", async () => {
    expect(await client.get(empty)).toMatchObject({ kind: "present", value: new Uint8Array() });
    for (const key of [nobody, deleted, "0x" as const]) {
      const answer = await client.get(key);
      expect(answer.kind).toBe("absent");
      expect(answer).not.toHaveProperty("value");
    }
  });

  test("gives the value at any height, before the checkpoint too", async () => {
    for (let height = 0n; height <= NEWEST; height++) {
      for (const key of [alice, deleted, nobody]) {
        const answer = await client.get(key, { at: height });
        expect(answer.block.height).toBe(height);
        const value = answer.kind === "present" ? toHex(answer.value) : undefined;
        expect(value).toBe(stateAt(height).get(key));
      }
    }
  });

  test("gives the value after the block of a hash", async () => {
    const { block } = await client.get(alice, { at: PINNED });
    expect(toHex(block.hash)).toBe(network.pinned.headerHash);
    for (const at of [toHex(block.hash), toHex(block.hash).toUpperCase().replace("0X", "0x")]) {
      expect((await client.get(alice, { at: at as Hex })).block).toEqual(block);
    }
  });

  test("says that there is no such block", async () => {
    for (const at of [NEWEST + 1n, (1n << 64n) - 1n, `0x${"11".repeat(32)}` as const]) {
      const error = await rejection(client.get(alice, { at }));
      expect(verdict(error)).toBe("unavailable / unknown_block");
    }
  });
});

describe("getMany", () => {
  test("gives a result for each key, in order, with one request", async () => {
    const fetched = vi.fn(fetch);
    const client = await connect({ fetch: fetched });
    fetched.mockClear();
    const keys = Array.from({ length: 60 }, (_, index) => account(`user ${index}`));
    const asked = [...keys, nobody, alice, empty, alice];
    const answers = await client.getMany(asked);
    expect(fetched).toHaveBeenCalledTimes(1);
    expect(answers.map(({ key }) => toHex(key))).toEqual(asked);
    const state = stateAt(NEWEST);
    expect(
      answers.map((answer) => (answer.kind === "present" ? toHex(answer.value) : undefined)),
    ).toEqual(asked.map((key) => state.get(key)));
  });

  test("asks nothing for no keys", async () => {
    expect(await client.getMany([])).toEqual([]);
  });

  test("gives values at one older block", async () => {
    const answers = await client.getMany([alice, deleted], { at: 3n });
    expect(answers.map(({ block }) => block.height)).toEqual([3n, 3n]);
    expect(answers.map(({ kind }) => kind)).toEqual(["present", "present"]);
  });
});

test("what replies say beside the bytes is not believed", async () => {
  const misled = await connect({ urls: [liar("wrong-remarks")] });
  expect(misled.head).toEqual(client.head);
  for (const at of ["latest", 5n] as const) {
    const answer = await misled.get(alice, { at });
    const { kind, key, block } = await client.get(alice, { at });
    expect(answer).toMatchObject({ kind, key, block });
  }
});

describe("wrong arguments are refused before anybody is asked:", () => {
  const invalid = "invalid_input / invalid_argument";

  test.each<[string, Key, GetOptions, string?]>([
    ["a key without 0x", "61" as Hex, {}],
    ["a key that is a number", 1 as never, {}],
    ["a key that is longer than the chain allows", new Uint8Array(257), {}, "key_length"],
    ["another scheme", alice, { scheme: "mpt" as "avl" }, "unknown_statement"],
    ["a height that is a number", alice, { at: 1 as never }],
    ["a negative height", alice, { at: -1n }],
    ["a height of 65 bits", alice, { at: 1n << 64n }],
    ["half a hash", alice, { at: `0x${"11".repeat(16)}` }],
    ["a misspelt option", alice, { height: 1n } as never],
    ["a signal that is none", alice, { signal: {} as never }],
    ["options that are null", alice, null as never],
  ])("%s", async (_, key, options, reason) => {
    const fetched = vi.fn(fetch);
    const client = await connect({ fetch: fetched });
    fetched.mockClear();
    const error = await rejection(client.get(key, options));
    if (reason) expect(error.reason).toBe(reason);
    else expect(verdict(error)).toBe(invalid);
    expect(fetched).not.toHaveBeenCalled();
  });

  test("keys that are no array", async () => {
    expect(verdict(await rejection(client.getMany(alice as never)))).toBe(invalid);
  });

  test.each<[string, object]>([
    ["no server", { urls: [] }],
    ["a server that is no URL", { urls: ["http://["] }],
    ["a server of another protocol", { urls: ["ftp://127.0.0.1"] }],
    ["servers that are no array", { urls: honest }],
    ["a misspelt option", { maxHeadAgeMs: 1 }],
    ["a timeout that is a string", { timeout: "1" }],
    ["a negative age", { maxHeadAge: -1 }],
    ["an age of half a millisecond", { maxHeadAge: 0.5 }],
    ["a signal that is none", { signal: "stop" }],
    ["a callback that is none", { onFailure: {} }],
    ["a fetch that is none", { fetch: "fetch" }],
    ["a clock that is a time", { now: 0n }],
  ])("%s", async (_, options) => {
    const fetched = vi.fn(fetch);
    const asked = connect({ fetch: fetched, ...options });
    expect(verdict(await rejection(asked))).toBe(invalid);
    expect(fetched).not.toHaveBeenCalled();
  });

  test("a clock that does not give a bigint", async () => {
    const asked = connect({ now: () => 0 as never });
    expect(verdict(await rejection(asked))).toBe(invalid);
  });
});

describe("the scheme", () => {
  test("is by default one that the chain keeps", async () => {
    const node = await begin("smt");
    const client = await connect({ urls: [node.url], checkpoint: node.checkpoint });
    expect(client.schemes).toEqual(["smt"]);
    expect((await client.get(alice)).evidence.scheme).toBe("smt");
  });

  test("is refused before a server is asked, if the chain does not keep it", async () => {
    const asked: unknown[] = [];
    const { url, pinned } = network.other;
    const client = await connect({
      urls: [url],
      checkpoint: pinned,
      fetch: (...request) => {
        asked.push(request);
        return fetch(...request);
      },
    });
    const before = asked.length;
    const error = await rejection(client.get(alice, { scheme: "smt" }));
    expect(verdict(error)).toBe("invalid_input / invalid_argument");
    expect(error.message).toContain("avl");
    expect(asked.length).toBe(before);
  });

  test("LVMT, whose setup must be trusted, is the last", async () => {
    expect((await connect()).schemes).toEqual(["avl", "smt", "lmpt", "amb", "lvmt"]);
  });
});
