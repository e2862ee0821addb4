/** Answers about the newest block that come when another call has accepted a newer one. */

import { beforeAll, describe, expect, test } from "vitest";

import { LightClient } from "../../src/index.js";
import type { Controlled } from "../network/control.js";
import { alice } from "../network/state.js";
import { begin, connect, Events, failures, fork, pay } from "./network.js";

const SERVER = "http://server.example/";
const MAX_HEAD_AGE = 1000n;

/** Questions about the newest block; each gives the height that the answer is about. */
const questions: [string, (client: LightClient) => Promise<bigint>][] = [
  ["get", async (client) => (await client.get(alice)).block.height],
  ["get by smt", async (client) => (await client.get(alice, { scheme: "smt" })).block.height],
  ["getMany", async (client) => (await client.getMany([alice]))[0]?.block.height ?? -1n],
  ["history", async (client) => (await client.history(alice, { from: 1n })).to.height],
  ["diff", async (client) => (await client.diff({ from: null })).to.height],
  ["twap", async (client) => (await client.twap(alice, { from: 1n })).history.to.height],
];

/** The newest block of the one is 1; the other has also a block 2, made later. */
let old: Controlled;
let newer: Controlled;
/** When block 1 was made. */
let made: bigint;
beforeAll(async () => {
  newer = await begin("avl,smt,amb");
  await pay(newer, "1.00");
  old = await fork(newer);
  await pay(newer, "2.00");
  const client = await LightClient.connect({ urls: [old.url], checkpoint: old.checkpoint });
  made = client.head.timestampMs;
  client.close();
});

/**
 * Asks a client that knows block 1, of a server that has no more. Before the reply is there, the client
 * accepts block 2, and the clock shows that block 1 is so many milliseconds older than a head may be.
 */
async function overtaken(ask: (client: LightClient) => Promise<bigint>, tooOldBy: bigint) {
  const { heard, onFailure } = failures();
  const [held, release] = [new Events<true>(), new Events<true>()];
  let [server, hold, now] = [old.url, false, made];
  const client = await connect({
    ...{ urls: [SERVER, newer.url], checkpoint: old.checkpoint, onFailure },
    ...{ maxHeadAge: Number(MAX_HEAD_AGE), now: () => now },
    fetch: async (url, init) => {
      const first = hold;
      hold = false;
      const response = await fetch(url instanceof URL && url.href === SERVER ? server : url, init);
      if (first) {
        held.add(true);
        await release.first();
      }
      return response;
    },
  });
  expect(client.head.height).toBe(1n);
  hold = true;
  const height = ask(client);
  await held.first();
  server = newer.url;
  expect((await client.sync()).height).toBe(2n);
  now = made + MAX_HEAD_AGE + tooOldBy;
  release.add(true);
  return { heard, height: await height };
}

describe.each(questions)("%s, overtaken by a newer block,", (_, ask) => {
  test("is about the older one if that may still be a head", async () => {
    expect(await overtaken(ask, 0n)).toEqual({ heard: [], height: 1n });
  });

  test("is refused where the older one is too old for a head, and the next server asked", async () => {
    const heard = [{ url: SERVER, verdict: "untrusted / head_too_old" }];
    expect(await overtaken(ask, 1n)).toEqual({ heard, height: 2n });
  });
});

test("walks that a newer block overtakes do not wait for the room of replies that are of no use", async () => {
  const padding = " ".repeat(3.5 * 2 ** 20);
  const walks = 8;
  const [calls, release] = [new Events<true>(), new Events<true>()];
  let server = old.url;
  const client = await connect({
    ...{ urls: [SERVER], checkpoint: old.checkpoint, timeout: 10_000 },
    fetch: async (_, init) => {
      const reply = await fetch(server, init);
      if (typeof init?.body !== "string" || !init.body.includes("prooflight_range")) return reply;
      const body = (await reply.text()) + padding;
      calls.add(true);
      if (calls.all.length <= walks) await release.first();
      return new Response(body, reply);
    },
  });
  expect(client.head.height).toBe(1n);
  const pages = Array.from({ length: walks }, () => client.range().next());
  await calls.first(() => calls.all.length === walks);
  server = newer.url;
  expect((await client.sync()).height).toBe(2n);
  release.add(true);
  for (const { value } of await Promise.all(pages)) expect(value?.block.height).toBe(2n);
  expect(calls.all).toHaveLength(2 * walks);
});
