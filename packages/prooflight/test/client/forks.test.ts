/** Authorities that sign two histories: two nodes with one key, which go on from the same blocks. */

import { beforeAll, describe, expect, test } from "vitest";

import { decodeHeader, verifyAncestor } from "../../src/chain.js";
import { EquivocationError, type Hex, type LightClient, toHex } from "../../src/index.js";
import type { Controlled } from "../network/control.js";
import { alice } from "../network/state.js";
import { equivocation, expectTwoHistories } from "./evidence.js";
import { begin, connect, Events, failures, fork, pay, turncoat } from "./network.js";

/** All have block 1; then one has 2, 3 and 4, the other its own 2, 3, 4, and later 5, the third its own 2 and 3. */
let one: Controlled;
let other: Controlled;
let lower: Controlled;
const SERVER = "http://server.example/";

beforeAll(async () => {
  one = await begin("avl,smt");
  await pay(one, "1.00");
  [other, lower] = [await fork(one), await fork(one)];
  for (const value of ["2.00", "3.00", "4.00"]) await pay(one, value);
  for (const value of ["2.10", "3.10", "4.10"]) await pay(other, value);
  for (const value of ["2.20", "3.20"]) await pay(lower, value);
});

/** A client that accepted a head of the one history; then its server has another. */
async function switched(urls = [SERVER], to = other) {
  const { heard, onFailure } = failures();
  const server = turncoat(SERVER, one.url);
  const { checkpoint } = one;
  const client = await connect({
    urls,
    checkpoint,
    fetch: server.fetch,
    onFailure,
    pollInterval: 10,
  });
  expect(client.head.height).toBe(4n);
  server.to(to.url);
  return { client, heard, server };
}

const questions: [string, (client: LightClient) => Promise<unknown>][] = [
  ["sync", (client) => client.sync()],
  ["get", (client) => client.get(alice)],
  ["get at the height that is known", (client) => client.get(alice, { at: 4n })],
  ["getMany", (client) => client.getMany([alice])],
  ["history", (client) => client.history(alice, { from: 1n })],
  ["diff", (client) => client.diff({ from: 1n })],
  ["twap", (client) => client.twap(alice, { from: 1n })],
  ["blocks", (client) => client.blocks({ from: 4n }).next()],
];

describe("two heads of one height", () => {
  test.each(questions)("%s reports both headers", async (_, ask) => {
    const { client, heard } = await switched();
    const accepted = client.head;
    const { code, reason, evidence } = await equivocation(ask(client));
    expect([code, reason]).toEqual(["untrusted", "equivocation"]);
    expect(heard).toContainEqual({ url: SERVER, verdict: "untrusted / equivocation" });

    expectTwoHistories(evidence, one.checkpoint);
    expect(evidence.height).toBe(4n);
    expect(evidence.accepted.hash).toEqual(accepted.hash);
    expect(decodeHeader(evidence.accepted.signed ?? new Uint8Array())).toEqual(accepted);
    const conflicting = decodeHeader(evidence.conflicting.signed);
    expect(conflicting.height).toBe(4n);
    expect(conflicting.hash).not.toEqual(accepted.hash);
    expect(evidence.conflicting.ancestor).toBeUndefined();
  });

  test.each(questions)("%s does not go on with another server", async (_, ask) => {
    const { client, heard } = await switched([SERVER, one.url]);
    await equivocation(ask(client));
    expect(new Set(heard.map(({ url }) => url))).toEqual(new Set([SERVER]));
  });

  test("who follows heads hears of it", async () => {
    const { client } = await switched();
    const errors = new Events<unknown>();
    client.onHead(() => undefined, errors.add);
    expect(await errors.first()).toBeInstanceOf(EquivocationError);
  });

  test("a checkpoint of the one history refuses the other", async () => {
    const { client } = await switched();
    const asked = connect({ urls: [other.url], checkpoint: client.exportCheckpoint() });
    const { evidence } = await equivocation(asked);
    // Of the pinned checkpoint only the hash is known.
    expect(evidence.accepted).toEqual({ hash: client.head.hash, signed: undefined });
  });
});

test("a head that only the place of an older block shows", async () => {
  // Asked where a block is in the accepted history, the server shows the newest head of the other one.
  const showing: typeof fetch = (url, init) => {
    const text = typeof init?.body === "string" ? init.body : "{}";
    const request = JSON.parse(text) as { method: string; params: object };
    const lies = lying && request.method === "prooflight_headerProof";
    const params = { ...request.params, head: "latest" };
    return lies
      ? fetch(other.url, { ...init, body: JSON.stringify({ ...request, params }) })
      : fetch(url, init);
  };
  let lying = false;
  const client = await connect({ urls: [one.url], checkpoint: one.checkpoint, fetch: showing });
  lying = true;
  const { evidence } = await equivocation(client.get(alice, { at: 2n }));
  expectTwoHistories(evidence, one.checkpoint);
  expect(evidence.height).toBe(4n);
});

test("the error that stopped the client cannot be changed", async () => {
  const { client } = await switched();
  const error = await equivocation(client.sync());
  expect(() => Object.assign(error, { code: "x", reason: "y", message: "z" })).toThrow(TypeError);
  expect(() => Object.setPrototypeOf(error, Object.prototype) as unknown).toThrow(TypeError);
  const again = await equivocation(client.get(alice));
  expect([again.code, again.reason]).toEqual(["untrusted", "equivocation"]);
});

describe("a later head with another history", () => {
  beforeAll(async () => {
    await pay(other, "5.10");
  });

  const later = questions.filter(([name]) => name !== "blocks" && !name.includes("height"));
  test.each(later)(
    "%s reports the header that it has in place of the known one",
    async (_, ask) => {
      const { client } = await switched();
      const accepted = client.head;
      const { reason, evidence } = await equivocation(ask(client));
      expect(reason).toBe("equivocation");
      expectTwoHistories(evidence, one.checkpoint);
      expect(evidence.height).toBe(4n);
      expect(evidence.accepted.hash).toEqual(accepted.hash);
      const head = decodeHeader(evidence.conflicting.signed);
      expect(head.height).toBe(5n);
      const { header, path } = evidence.conflicting.ancestor ?? { header: head.encoded, path: [] };
      const ancestor = verifyAncestor({ head: head.encoded, header, inclusion: path });
      expect(ancestor.height).toBe(4n);
      expect(toHex(ancestor.hash)).not.toBe(toHex(accepted.hash));
    },
  );

  test.each(later)("%s does not go on with another server", async (_, ask) => {
    const { client } = await switched([SERVER, one.url]);
    await equivocation(ask(client));
  });

  test("an older block of the other history is not taken for one of the known", async () => {
    const { client } = await switched([SERVER, one.url]);
    const { evidence } = await equivocation(client.get(alice, { at: 3n }));
    expectTwoHistories(evidence, one.checkpoint);
    expect(evidence.height).toBe(3n);
  });
});

describe("another history that is lower", () => {
  const hashOf = async (node: Controlled, at: bigint) => {
    const client = await connect({ urls: [node.url], checkpoint: node.checkpoint });
    return toHex((await client.get(alice, { at })).block.hash) as Hex;
  };
  const lowerQuestions: typeof questions = [
    ...questions.filter(([name]) => !name.includes("height") && name !== "blocks"),
    ["get at an older height", (client) => client.get(alice, { at: 3n })],
    ["get at a hash", async (client) => client.get(alice, { at: await hashOf(lower, 3n) })],
    ["get by smt", (client) => client.get(alice, { scheme: "smt" })],
    ["blocks", (client) => client.blocks().next()],
    ["older blocks", (client) => client.blocks({ from: 3n }).next()],
  ];

  test.each(lowerQuestions)(
    "%s reports its header and the one that the accepted head has in its place",
    async (_, ask) => {
      const { client, heard } = await switched([SERVER, one.url], lower);
      const { evidence, code, reason } = await equivocation(ask(client));
      expect([code, reason]).toEqual(["untrusted", "equivocation"]);
      expect(heard).toEqual([{ url: SERVER, verdict: "untrusted / equivocation" }]);
      expectTwoHistories(evidence, one.checkpoint);
      expect(evidence.height).toBe(3n);
      expect(toHex(evidence.accepted.hash)).toBe(await hashOf(one, 3n));
    },
  );

  /** A client that accepted the heads of some heights, of one server alone, which then has another history. */
  async function turned(heights: readonly bigint[], blocksOfOther: number) {
    const node = await begin();
    const forked = await fork(node);
    const server = turncoat(SERVER, node.url);
    const { checkpoint } = node;
    const client = await connect({ urls: [SERVER], checkpoint, fetch: server.fetch });
    const newest = heights.at(-1) ?? 0n;
    for (let height = 1n; height <= newest; height++) {
      await pay(node, `${height}.00`);
      if (heights.includes(height)) expect((await client.sync()).height).toBe(height);
    }
    for (let height = 1; height <= blocksOfOther; height++) await pay(forked, `${height}.10`);
    server.to(forked.url);
    return { client, checkpoint };
  }

  test("shows where a head of its height was accepted, with nobody else to ask", async () => {
    const { client, checkpoint } = await turned([1n, 2n, 3n], 2);
    for (const ask of [() => client.sync(), () => client.get(alice)]) {
      const { evidence } = await equivocation(ask());
      expectTwoHistories(evidence, checkpoint);
      expect(evidence.height).toBe(2n);
    }
  });

  test("shows where its history lacks a head that was accepted, with nobody else to ask", async () => {
    const { client, checkpoint } = await turned([1n, 4n], 3);
    const { evidence } = await equivocation(client.get(alice));
    expectTwoHistories(evidence, checkpoint);
    expect(evidence.height).toBe(1n);
    expect(decodeHeader(evidence.conflicting.signed).height).toBe(3n);
  });
});

test("a client that saw two histories tells those who follow heads or blocks, and ends", async () => {
  const { client, server } = await switched();
  server.to(one.url);
  const [heads, errors] = [new Events<unknown>(), new Events<unknown>()];
  client.onHead(heads.add, errors.add);
  await heads.first();
  const next = equivocation(client.blocks({ from: 5n }).next());
  server.to(other.url);
  const error = await errors.first();
  expect(error).toBeInstanceOf(EquivocationError);
  expect(await next).toBe(error);
  expect(await equivocation(client.sync())).toBe(error);
  expect(errors.all).toEqual([error]);
});

test("a server that is only behind is not taken for another history", async () => {
  const node = await begin();
  for (const value of ["1.00", "2.00"]) await pay(node, value);
  const behind = await fork(node);
  await pay(node, "3.00");
  const { heard, onFailure } = failures();
  const server = turncoat(SERVER, node.url);
  const client = await connect({
    ...{ urls: [SERVER, node.url], checkpoint: node.checkpoint, fetch: server.fetch, onFailure },
  });
  server.to(behind.url);
  const text = new TextEncoder();
  expect(await client.get(alice)).toMatchObject({ value: text.encode("3.00") });
  expect(heard).toEqual([{ url: SERVER, verdict: "untrusted / head_behind" }]);
  expect((await client.sync()).height).toBe(3n);

  const alone = await connect({
    ...{ urls: [SERVER], checkpoint: client.exportCheckpoint(), fetch: server.fetch },
  }).catch((error: unknown) => error);
  expect(alone).toMatchObject({ reason: "unknown_block" });
});
