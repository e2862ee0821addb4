/** An integer that does not fit where it goes is refused by every function, not taken for another one. */

import { beforeAll, describe, expect, test } from "vitest";

import { EthereumClient, init as initEthereum } from "../src/ethereum.js";
import { init, LightClient, VerifyError } from "../src/index.js";
import { init as initLvmt } from "../src/lvmt.js";
import { createProvider } from "../src/provider.js";
import { changed, nameOf, outcome, type Place, placesOf, takers } from "./takers.js";

beforeAll(() => Promise.all([init(), initLvmt(), initEthereum()]));

const isInteger = (value: unknown) => typeof value === "bigint" || typeof value === "number";

/** Options of clients that are any whole number of milliseconds. */
const MILLISECONDS = new Set([
  ...["timeout", "callTimeout", "pollInterval", "refresh"],
  ...["maxHeadAge", "maxClockSkew", "maxCheckpointAge"],
]);

/** What does not fit where an integer goes, among it what becomes that integer if bits are cut off. */
function unfit(integer: unknown, name: string): unknown[] {
  if (typeof integer === "bigint") return [-1n, 1n << 64n, (1n << 64n) + integer, "1", 1.5];
  const cut = MILLISECONDS.has(name) ? [] : [2 ** 32 + (integer as number)];
  return [-1, 0.5, NaN, Infinity, 2 ** 64, ...cut, 1n << 64n, "1"];
}

const integerAt = (given: unknown, place: Place) =>
  place.reduce((value, member) => Reflect.get(value as object, member) as unknown, given);

const withIntegers = Object.entries(takers).filter(
  ([, [, honest]]) => placesOf(honest, isInteger).length > 0,
);

describe.each(withIntegers)("%s", (_, [given, honest]) => {
  const call = given as (input: unknown) => unknown;

  test.each(placesOf(honest, isInteger).map((place) => [place.join("."), place] as const))(
    "refuses what does not fit for %s",
    async (_, place) => {
      const name = nameOf(place);
      for (const value of unfit(integerAt(honest, place), name)) {
        const refused = await outcome(() => call(changed(honest, place, value)));
        expect(refused, String(value)).toMatchObject({
          ...{ code: "invalid_input", reason: "invalid_argument" },
          expected: expect.stringContaining(name) as string,
        });
      }
    },
  );
});

describe("a clock beyond 64 bits is refused", () => {
  const wrong = [-1n, 1n << 64n, (1n << 64n) + BigInt(Date.now()), Date.now(), NaN, undefined];
  const isRefused = async (call: () => unknown) => {
    const refused = await outcome(call);
    expect(refused).toMatchObject({ code: "invalid_input", reason: "invalid_argument" });
    expect((refused as { expected: string }).expected).toMatch(/^now to be /);
  };

  test.each(wrong)("by EthereumClient: %s", async (time) => {
    const now = () => time as bigint;
    const fetch = () => Promise.reject(new Error("offline"));
    const servers = { beacon: ["http://beacon.example"], execution: ["http://execution.example"] };
    const state = new Uint8Array(32);
    const options = { network: "mainnet" as const, state, ...servers, fetch, now };
    await isRefused(() => EthereumClient.connect(options));
  });

  test.each(wrong)("by LightClient: %s", async (time) => {
    const [, honest] = takers["verifyAnswer"] ?? [];
    const { checkpoint, head } = honest as { checkpoint: never; head: Uint8Array };
    const hex = `0x${Array.from(head, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    const fetch = (_: unknown, init: { body: string }) => {
      const { id } = JSON.parse(init.body) as { id: number };
      const signed = { signedHeader: hex };
      const result = { header: signed, head: signed, path: [] };
      return Promise.resolve(Response.json({ jsonrpc: "2.0", id, result }));
    };
    const options = { urls: ["http://server.example"], checkpoint, now: () => time as bigint };
    await isRefused(() => LightClient.connect({ ...options, fetch: fetch as never }));
  });
});

test.each([-1n, 1n << 64n, (1n << 64n) + 5n])("a trusted block %s is refused", async (number) => {
  const provider = createProvider({
    ...{ provider: { request: () => Promise.reject(new Error("nobody is asked")) }, chainId: 1 },
    trust: () => ({ number, hash: new Uint8Array(32), stateRoot: new Uint8Array(32) }),
  });
  const error: unknown = await provider
    .request({ method: "eth_blockNumber" })
    .catch((error: unknown) => error);
  const { cause } = error as { cause: VerifyError };
  expect(cause).toBeInstanceOf(VerifyError);
  expect([cause.reason, cause.details.expected]).toEqual([
    "invalid_argument",
    "number of trust() to be a bigint of 0 to 2^64 - 1",
  ]);
});
