/** What a client is given is read once, when it is given: getters that say something else later change nothing. */

import { describe, expect, test } from "vitest";

import {
  fromHex,
  type LightClient,
  LightClient as Client,
  toBundle,
  verifyBundle,
} from "../../src/index.js";
import { once } from "../once.js";
import { alice, deleted, nobody } from "../network/state.js";
import { connect, network } from "./network.js";

const from = 3n;

describe("LightClient reads no member twice:", () => {
  const questions: [string, (client: LightClient, read: <T>(given: T) => T) => Promise<unknown>][] =
    [
      ["get", (client, read) => client.get(read({ text: "account/alice" }), read({ at: 5n }))],
      ["getMany", (client, read) => client.getMany(read([alice, nobody]), read({ scheme: "smt" }))],
      ["history", (client, read) => client.history(alice, read({ from, to: 9n }))],
      ["diff", (client, read) => client.diff(read({ from, to: 9n }))],
      ["twap", (client, read) => client.twap(alice, read({ from, to: 9n }))],
      ["range", (client, read) => client.range(read({ prefix: alice, at: 5n, limit: 1 })).next()],
      ["count", (client, read) => client.count(read({ from: alice }))],
      ["blocks", (client, read) => client.blocks(read({ from })).next()],
      ["sync", (client, read) => client.sync(read({}))],
    ];
  test.each(questions)("%s", async (_, ask) => {
    const client = await connect();
    const expected = await ask(client, (given) => given);
    expect(withoutTimes(await ask(client, once))).toEqual(withoutTimes(expected));
  });

  test("connect", async () => {
    const urls = [{ url: network.url, shard: { bits: 0, value: 0 } }, network.url];
    const client = await Client.connect(once({ urls, checkpoint: network.pinned }));
    expect(client.head).toEqual((await connect()).head);
  });
});

/** The same but for how long it took. */
const withoutTimes = (given: unknown): unknown =>
  JSON.parse(
    JSON.stringify(given, (name, value: unknown) =>
      name === "milliseconds" ? 0 : typeof value === "bigint" ? String(value) : value,
    ),
  );

test("verifyBundle reads no member twice", async () => {
  const client = await connect();
  for (const bundle of [
    toBundle(await client.get(alice, { at: 5n })),
    toBundle(await client.history(deleted, { from: 1n })),
    toBundle(await client.twap(alice, { from })),
    toBundle(await client.diff({ from })),
  ]) {
    const trust = { checkpoint: network.pinned, now: BigInt(Date.now()) };
    const expected = await verifyBundle(bundle, trust);
    expect(await verifyBundle(once(bundle), once(trust))).toEqual(expected);
  }
});

test("blocks() begins where it was told when it was called", async () => {
  const client = await connect();
  const digest = (await client.get(alice, { at: 4n })).block.roots.avl ?? new Uint8Array();
  const options = { from: 5n, digest: digest.slice() };
  const blocks = client.blocks(options);
  options.from = 9n;
  options.digest.fill(0);
  const { value } = await blocks.next();
  expect(value?.header.height).toBe(5n);
});

test("keys are those of the call", async () => {
  const client = await connect();
  const key = fromHex(alice);
  const answer = client.get(key);
  key.fill(0);
  expect(await answer).toMatchObject({ kind: "present", key: fromHex(alice) });
});
