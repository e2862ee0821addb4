/** The errors of wrong options name what the caller meant, or has to give. */

import { beforeAll, describe, expect, test } from "vitest";

import { EthereumClient } from "../src/ethereum.js";
import { init, LightClient, verifyBundle, type VerifyError } from "../src/index.js";
import { createProvider, httpProvider } from "../src/provider.js";
import { nearest } from "../src/nearest.js";
import { changed, outcome, placesOf, takers } from "./takers.js";

beforeAll(() => init());

const isObject = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The objects in an argument, as the members that lead to them. */
const objectsIn = (given: unknown) =>
  placesOf(given, (value) => isObject(value) && !ArrayBuffer.isView(value));

/** Some ways in which a name is misspelt. */
const misspellings = (name: string) => [
  `${name}s`,
  name.slice(0, -1),
  name.slice(0, 1) + name.slice(2, 3) + name.slice(1, 2) + name.slice(3),
  name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`),
  name.toUpperCase(),
];

describe.each(Object.entries(takers))("%s", (_, [given, honest]) => {
  const call = given as (input: unknown) => unknown;
  test("says which member a misspelt one may mean", async () => {
    for (const place of objectsIn(honest)) {
      const object = place.reduce(
        (value, name) => Reflect.get(value, name) as object,
        honest as object,
      );
      for (const name of Object.keys(object)) {
        for (const wrong of misspellings(name)) {
          if (wrong.length < 3 || Object.hasOwn(object, wrong)) continue;
          const { [name]: value, ...rest } = object as Record<string, unknown>;
          const input = changed(honest, place, { ...rest, [wrong]: value });
          const refused = (await outcome(() => call(input))) as VerifyError["details"];
          expect(refused).toMatchObject({ code: "invalid_input", reason: "invalid_argument" });
          if (refused.found === `member ${wrong}; did you mean ${name}?`) continue;
          // Another name may be as near, and some objects take any member.
          expect(refused.found).toMatch(new RegExp(`^member ${wrong}; did you mean |^undefined$`));
        }
      }
    }
  });
});

describe("createProvider names what it needs:", () => {
  const servers = { execution: ["http://execution.example"], beacon: ["http://beacon.example"] };
  const provider = { request: () => Promise.resolve() };
  const BOTH = "an object with execution, or with provider, chainId and trust";
  test.each<[unknown, string, string]>([
    [{}, BOTH, "none of them"],
    [undefined, BOTH, "undefined"],
    [null, BOTH, "null"],
    ["http://execution.example", BOTH, "the string"],
    [{ network: "mainnet" }, BOTH, "none of them beside network"],
    [{ executon: servers.execution }, BOTH, "member executon; did you mean execution?"],
    [{ executions: servers.execution }, BOTH, "did you mean execution?"],
    [{ Provider: provider, chainId: 1 }, BOTH, "did you mean provider?"],
    [{ url: "http://execution.example" }, BOTH, "member url"],
    [{ provider }, "trust to be a function", "undefined"],
    [{ provider, trust: () => undefined }, "chainId to be", "undefined"],
    [{ trust: () => undefined, chainId: 1 }, "provider to be", "undefined"],
    [{ provider, truts: 1, chainId: 1 }, "provider", "member truts; did you mean trust?"],
    [{ execution: servers.execution }, "checkpoint and state, or heads, and network", "none"],
    [{ ...servers, network: "mainnet" }, "one of checkpoint and state, or heads", "none of them"],
    [{ ...servers, checkpoint: new Uint8Array(32) }, "chainId to be", "undefined"],
    [{ ...servers, chainId: 1, checkpoint: new Uint8Array(32) }, "network to be", "undefined"],
    [{ ...servers, walet: provider }, "wallet", "member walet; did you mean wallet?"],
    [{ ...servers, checkpiont: "0x" }, "checkpoint", "did you mean checkpoint?"],
    [{ ...servers, provider }, "an object of", "member provider"],
    [{ ...servers, signal: new AbortController().signal }, "an object of", "member signal"],
    [
      { ...servers, chainId: 1, heads: { latest: new Uint8Array(32) } },
      "beacon to be left out beside heads",
      "there",
    ],
  ])("%j", async (options, expected, found) => {
    const refused = await outcome(() => createProvider(options as never));
    expect(refused).toMatchObject({ code: "invalid_input", reason: "invalid_argument" });
    const details = refused as VerifyError["details"];
    expect(details.expected).toContain(expected);
    expect(details.found).toContain(found);
  });

  test("and takes what is right", () => {
    const head = { heads: { latest: new Uint8Array(32) } };
    createProvider({ execution: servers.execution, chainId: 1, ...head });
    createProvider({ execution: servers.execution, network: "mainnet", ...head });
    createProvider({ ...servers, network: "mainnet", checkpoint: new Uint8Array(32) });
    createProvider({ provider, chainId: 1, trust: () => undefined });
  });
});

describe("clients name what they need:", () => {
  const beacon = ["http://beacon.example"];
  test.each<[string, () => unknown, RegExp]>([
    [
      "LightClient without options",
      () => LightClient.connect(undefined as never),
      /urls, checkpoint/,
    ],
    ["LightClient of nothing", () => LightClient.connect({} as never), /^urls to be an array$/],
    [
      "LightClient without a checkpoint",
      () => LightClient.connect({ urls: ["http://server.example"] } as never),
      /^checkpoint to be an object of config, height, headerHash$/,
    ],
    [
      "EthereumClient of nothing",
      () => EthereumClient.connect({} as never),
      /checkpoint and state/,
    ],
    [
      "EthereumClient without a network",
      () =>
        EthereumClient.connect({
          checkpoint: new Uint8Array(32),
          beacon,
          execution: beacon,
        } as never),
      /^network to be mainnet, sepolia, hoodi or parameters$/,
    ],
    [
      "EthereumClient without beacon nodes",
      () =>
        EthereumClient.connect({
          checkpoint: new Uint8Array(32),
          execution: beacon,
          network: "mainnet",
        } as never),
      /^beacon to be an array$/,
    ],
    [
      "verifyBundle without trust",
      () => verifyBundle({ kind: "StateDiff" } as never, undefined as never),
      /./,
    ],
    [
      "httpProvider",
      () => httpProvider("http://server.example", null as never),
      /timeout, maxReplyBytes/,
    ],
    [
      "httpProvider with a timeout of 0",
      () => httpProvider("http://server.example", { timeout: 0 }),
      /^timeout to be at least 1 millisecond$/,
    ],
  ])("%s", async (_, call, expected) => {
    const refused = await outcome(call);
    expect(refused).toMatchObject({ code: "invalid_input", reason: "invalid_argument" });
    expect((refused as VerifyError["details"]).expected).toMatch(expected);
  });
});

describe("a misspelt name", () => {
  const known = ["urls", "checkpoint", "timeout", "maxHeadAge", "pollInterval"];
  test.each([
    ["url", "urls"],
    ["URLS", "urls"],
    ["chekpoint", "checkpoint"],
    ["checkpiont", "checkpoint"],
    ["max-head-age", "maxHeadAge"],
    ["timeuot", "timeout"],
    ["servers", undefined],
    ["trust", undefined],
    ["", undefined],
    ["x".repeat(10_000), undefined],
  ])("%s may mean %s", (name, meant) => {
    expect(nearest(name, known)).toBe(meant);
  });

  test("that would mislead a reader is quoted", async () => {
    const refused = await outcome(() => LightClient.connect({ "\n✔ verified": 1 } as never));
    const { found } = refused as VerifyError["details"];
    expect(found).toBe('member the string "\\n✔ verified"');
  });
});
