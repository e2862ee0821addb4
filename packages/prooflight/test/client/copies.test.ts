/** What a client hands out is the caller's to change: nothing that the client trusts changes with it. */

import { expect, test } from "vitest";

import { type Block, type Failure, toBundle, toHex, verifyBundle } from "../../src/index.js";
import type { Header, LightClient } from "../../src/index.js";
import { alice, deleted, nobody } from "../network/state.js";
import { equivocation } from "./evidence.js";
import { begin, connect, Events, fork, network, pay, turncoat } from "./network.js";
import { refusal, verdict } from "../refusal.js";

/** Inverts all bytes that can be reached from a value, and exchanges its other members. */
function vandalise(value: unknown, seen = new Set()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  if (value instanceof Uint8Array) {
    for (let at = 0; at < value.length; at++) value[at] = ~(value[at] ?? 0);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    vandalise(member, seen);
    const other = { bigint: -1n, string: "", number: -1 }[typeof member as string];
    if (other !== undefined) Reflect.set(value, name, other);
  }
}

const at = 5n;

/** Everything that hands something out, as one gets it. */
const handedOut: [string, (client: LightClient) => unknown][] = [
  ["head", (client) => client.head],
  ["sync()", (client) => client.sync()],
  ["exportCheckpoint()", (client) => client.exportCheckpoint()],
  ["onHead()", (client) => firstHead(client)],
  ["get()", (client) => client.get(alice)],
  ["get() at an older block", (client) => client.get(alice, { at })],
  ["getMany()", (client) => client.getMany([alice, nobody])],
  ["history()", (client) => client.history(deleted, { from: 1n })],
  ["history() to an older block", (client) => client.history(deleted, { from: 1n, to: at })],
  ["diff()", (client) => client.diff({ from: at })],
  ["twap()", (client) => client.twap(alice, { from: at })],
  ["blocks()", async (client) => (await client.blocks({ from: at }).next()).value],
];

async function firstHead(client: LightClient): Promise<Header> {
  const heads = new Events<Header>();
  const end = client.onHead(heads.add);
  return heads.first().finally(end);
}

test.each(handedOut)("what %s gives can be written to", async (_, handOut) => {
  const client = await connect();
  const { head } = await connect();
  const exported = client.exportCheckpoint();
  vandalise(await handOut(client));

  expect(client.head).toEqual(head);
  expect(client.exportCheckpoint()).toEqual(exported);
  expect(await client.sync()).toEqual(head);
  expect(await firstHead(client)).toEqual(head);
  const older = await client.get(alice, { at });
  expect(older.evidence.head).toEqual(head);
  expect((await client.get(alice)).block).toEqual(head);
  const saved = await verifyBundle(toBundle(older), { checkpoint: network.pinned });
  expect(saved.header.height).toBe(at);
});

test("what one listener does with a head is not what the next one hears", async () => {
  const client = await connect();
  const { head } = await connect();
  const heads = new Events<Header>();
  client.onHead(vandalise);
  client.onHead(heads.add);
  expect(await heads.first()).toEqual(head);
});

test("a bundle is of what was verified, whatever became of the answer", async () => {
  const client = await connect();
  for (const options of [{}, { at }]) {
    const [answer, other] = await client.getMany([alice, nobody], options);
    if (answer === undefined) throw new Error("no answer");
    const bundle = toBundle(answer);
    vandalise(answer);
    vandalise(other);
    expect(toBundle(answer)).toEqual(bundle);
  }
});

test("a bundle is verified as it was given, whatever becomes of it and of the trust meanwhile", async () => {
  const client = await connect();
  const saved = [
    toBundle(await client.get(alice, { at })),
    toBundle(await client.history(deleted, { from: 1n })),
    toBundle(await client.diff({ from: at })),
  ];
  for (const bundle of saved) {
    const expected = await verifyBundle(bundle, { checkpoint: network.pinned });
    const given = structuredClone(bundle);
    const trust = { checkpoint: structuredClone(network.pinned) };
    const verified = verifyBundle(given, trust);
    vandalise(given);
    vandalise(trust);
    expect(await verified).toEqual(expected);
  }
});

test("blocks follow each other, whatever became of the one before", async () => {
  const client = await connect();
  const seen: bigint[] = [];
  for await (const block of client.blocks({ from: at })) {
    seen.push(block.header.height);
    vandalise(block satisfies Block);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual([at, at + 1n, at + 2n]);
});

test("evidence stays what it was", async () => {
  const one = await begin();
  const other = await fork(one);
  await pay(one, "1.00");
  await pay(other, "1.10");
  const server = turncoat("http://server.example/", one.url);
  const heard: Failure[] = [];
  const client = await connect({
    ...{ urls: ["http://server.example/"], checkpoint: one.checkpoint, fetch: server.fetch },
    onFailure: (failure) => heard.push(failure),
  });
  const { hash } = client.head;
  server.to(other.url);
  const error = await equivocation(client.sync());
  expect(heard[0]?.error).toBe(error);
  const conflicting = error.evidence.conflicting.signed.slice();
  vandalise(error.evidence);
  const { evidence } = error;
  expect(evidence.height).toBe(1n);
  expect(toHex(evidence.accepted.hash)).toBe(toHex(hash));
  expect(toHex(evidence.conflicting.signed)).toBe(toHex(conflicting));
});

test("the answers of one request share nothing", async () => {
  const client = await connect();
  const [one, other] = await client.getMany([alice, nobody]);
  vandalise(one?.block);
  vandalise(one?.evidence);
  expect(other?.block).toEqual(client.head);
  expect(other?.evidence.head).toEqual(client.head);
});

test("listeners that are no functions are refused at once", async () => {
  const client = await connect();
  const listen = client.onHead.bind(client) as (...listeners: unknown[]) => unknown;
  const noop = () => undefined;
  for (const listeners of [[], [{}], [5], [noop, 7], [noop, null]]) {
    expect(verdict(refusal(() => listen(...listeners)))).toBe("invalid_input / invalid_argument");
  }
});
