/** A caller's object is read once, before anything is awaited: what it says later does not matter. */

import { beforeAll, describe, expect, test } from "vitest";

import { EthereumClient, init as initEthereum } from "../src/ethereum.js";
import { init } from "../src/index.js";
import { init as initLvmt } from "../src/lvmt.js";
import { once } from "./once.js";
import { outcome, takers } from "./takers.js";

beforeAll(() => Promise.all([init(), initLvmt(), initEthereum()]));

describe("no member is read twice", () => {
  test.each(Object.entries(takers))("by %s", async (_, [given, honest]) => {
    const call = given as (input: unknown) => unknown;
    const expected = await outcome(() => call(honest));
    expect(await outcome(() => call(once(honest)))).toEqual(expected);
  });

  test("or else it is noticed", () => {
    const object = once({ list: [1] });
    const { list } = object;
    expect(() => object.list).toThrow("list was read twice");
    expect(list[0]).toBe(1);
    expect(() => list[0]).toThrow("0 was read twice");
  });
});

test("URLs are those of the call", async () => {
  const asked: string[] = [];
  const url = new URL("http://beacon.example/");
  const execution = new URL("http://execution.example/");
  const connecting = EthereumClient.connect({
    ...{ network: "mainnet", checkpoint: new Uint8Array(32), beacon: [url] },
    execution: [execution],
    fetch: (input) => {
      asked.push((input as URL).host);
      return Promise.reject(new Error("offline"));
    },
  });
  url.host = "other.example";
  await expect(connecting).rejects.toMatchObject({ reason: "unreachable" });
  expect(new Set(asked)).toEqual(new Set(["beacon.example"]));
});
