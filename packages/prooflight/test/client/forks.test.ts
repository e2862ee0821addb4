/** Authorities that sign two histories: two nodes with one key, which go on from the same blocks. */

import { beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { decodeHeader, verifyAncestor } from "../../src/chain.js";
import { EquivocationError, type LightClient, toHex } from "../../src/index.js";
import type { Controlled } from "../network/control.js";
import { alice } from "../network/state.js";
import { equivocation } from "./evidence.js";
import { begin, connect, Events, failures, fork, pay, turncoat } from "./network.js";

/** Both have block 1; then one has 2, 3 and 4, the other its own 2, 3, 4, and later 5. */
let one: Controlled;
let other: Controlled;
const SERVER = "http://server.example/";

beforeAll(async () => {
  one = await begin();
  await pay(one, "1.00");
  other = await fork(one);
  for (const value of ["2.00", "3.00", "4.00"]) await pay(one, value);
  for (const value of ["2.10", "3.10", "4.10"]) await pay(other, value);
});

/** A client that accepted a head of the one history; then its server has the other. */
async function switched(urls = [SERVER]) {
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
  server.to(other.url);
  return { client, heard };
}

const questions: [string, (client: LightClient) => Promise<unknown>][] = [
  ["sync", (client) => client.sync()],
  ["get", (client) => client.get(alice)],
  ["get at the height that is known", (client) => client.get(alice, { at: 4n })],
  ["getMany", (client) => client.getMany([alice])],
  ["blocks", (client) => client.blocks({ from: 4n }).next()],
];

describe("two heads of one height", () => {
  test.each(questions)("%s reports both headers", async (_, ask) => {
    const { client, heard } = await switched();
    const accepted = client.head;
    const { code, reason, evidence } = await equivocation(ask(client));
    expect([code, reason]).toEqual(["untrusted", "equivocation"]);
    expect(heard).toContainEqual({ url: SERVER, verdict: "untrusted / equivocation" });

    expect(evidence.height).toBe(4n);
    expect(evidence.accepted.hash).toEqual(accepted.hash);
    expect(decodeHeader(evidence.accepted.signed ?? new Uint8Array())).toEqual(accepted);
    const conflicting = decodeHeader(evidence.conflicting.signed);
    expect(conflicting.height).toBe(4n);
    expect(conflicting.hash).not.toEqual(accepted.hash);
    expect(evidence.conflicting.ancestor).toBeUndefined();
    expect(client.head).toEqual(accepted);
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
      expect(evidence.height).toBe(4n);
      expect(evidence.accepted.hash).toEqual(accepted.hash);
      const head = decodeHeader(evidence.conflicting.signed);
      expect(head.height).toBe(5n);
      const { header, path } = evidence.conflicting.ancestor ?? { header: head.encoded, path: [] };
      const ancestor = verifyAncestor({ head: head.encoded, header, inclusion: path });
      expect(ancestor.height).toBe(4n);
      expect(toHex(ancestor.hash)).not.toBe(toHex(accepted.hash));
      expect(client.head).toEqual(accepted);
    },
  );

  test.each(later)("%s does not go on with another server", async (_, ask) => {
    const { client } = await switched([SERVER, one.url]);
    await equivocation(ask(client));
  });

  test("an older block of the other history is not taken for one of the known", async () => {
    const { client, heard } = await switched([SERVER, one.url]);
    onTestFinished(() => {
      client.close();
    });
    const answer = await client.get(alice, { at: 3n });
    expect(answer).toMatchObject({ kind: "present", value: new TextEncoder().encode("3.00") });
    expect(heard).toHaveLength(1);
  });
});
