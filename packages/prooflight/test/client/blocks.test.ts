/** Following a chain block by block. */

import { describe, expect, test } from "vitest";

import type { Block, BlocksOptions, LightClient, StateOperation } from "../../src/index.js";
import { fromHex, toHex } from "../../src/index.js";
import type { Controlled } from "../network/control.js";
import { blocks, NEWEST, type Operation, PINNED } from "../network/state.js";
import {
  begin,
  connect,
  Events,
  failures,
  liar,
  network,
  pay,
  start,
  stop,
  turncoat,
} from "./network.js";
import { rejection, verdict } from "../refusal.js";

/** The blocks up to the newest one that there is. */
async function all(options: BlocksOptions): Promise<Block[]> {
  const client = await connect();
  const seen: Block[] = [];
  for await (const block of client.blocks(options)) {
    seen.push(block);
    if (block.header.height === NEWEST) break;
  }
  return seen;
}

/** What a block's operations are: those that were submitted, ascending by key. */
const expected = (operations: readonly Operation[]): StateOperation[] =>
  [...operations]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map((operation) =>
      operation.op === "Set"
        ? { op: "Set", key: fromHex(operation.key), value: fromHex(operation.value) }
        : { op: "Delete", key: fromHex(operation.key) },
    );

test("every block from genesis on, with what it did and the digest after it", async () => {
  const seen = await all({ from: 0n });
  expect(seen.map(({ header }) => header.height)).toEqual(
    Array.from({ length: Number(NEWEST) + 1 }, (_, height) => BigInt(height)),
  );
  expect(seen.map(({ operations }) => operations)).toEqual([[], ...blocks.map(expected)]);
  for (const { digest, header, proofBytes } of seen) {
    expect(digest).toEqual(header.roots.avl);
    expect(proofBytes).toBeGreaterThan(0);
  }
  expect(toHex(seen[Number(PINNED)]?.header.hash ?? new Uint8Array())).toBe(
    network.pinned.headerHash,
  );
});

test("going on with the digest that was kept", async () => {
  const [before, ...rest] = await all({ from: 4n });
  expect(await all({ from: 5n, digest: before?.digest })).toEqual(rest);
});

test("a digest that is not that of the state before is refused", async () => {
  const client = await connect();
  const digest = (await client.get("0x", { at: 6n })).block.roots.avl;
  const { heard, onFailure } = failures();
  const asked = await connect({ onFailure });
  const error = await rejection(asked.blocks({ from: 5n, digest }).next());
  expect(verdict(error)).toBe("mismatch / root_mismatch");
  expect(heard).toHaveLength(1);
});

test("what a caller does with a block does not change what follows", async () => {
  const client = await connect();
  const seen: bigint[] = [];
  for await (const block of client.blocks({ from: 3n })) {
    seen.push(block.header.height);
    block.digest.fill(0);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual([3n, 4n, 5n]);
});

describe("where blocks are made meanwhile", () => {
  const AWAY = "unreachable";

  async function connected(node: Controlled) {
    const failed = new Events<string>();
    const replied = new Events<Response>();
    const client = await connect({
      ...{ urls: [node.url], checkpoint: node.checkpoint, pollInterval: 20 },
      onFailure: ({ error }) => {
        failed.add(error.reason);
      },
      fetch: async (...call) => {
        const response = await fetch(...call);
        replied.add(response);
        return response;
      },
    });
    replied.all.length = 0;
    return { client, failed, replied };
  }

  test("it starts with the next block to come, and waits for the node", async () => {
    const node = await begin();
    await pay(node, "1.00");
    const { client, failed, replied } = await connected(node);
    const following = client.blocks();
    const first = following.next();
    await replied.first();
    await pay(node, "2.00");
    expect((await first).value).toMatchObject({ header: { height: 2n } });

    const second = following.next();
    await stop(node);
    await failed.first((reason) => reason === AWAY);
    await start(node);
    await pay(node, "3.00");
    expect((await second).value).toMatchObject({ header: { height: 3n } });
    await following.return();
  });

  test("it waits for a node that is away from the start", async () => {
    const node = await begin();
    await pay(node, "1.00");
    const { client, failed } = await connected(node);
    await stop(node);
    const following = client.blocks({ from: 1n });
    const first = following.next();
    await failed.first((reason) => reason === AWAY);
    await start(node);
    expect((await first).value).toMatchObject({ header: { height: 1n } });
    await following.return();
  });
});

describe("a signal ends it", () => {
  const reason = new Error("enough");

  test("before it begins", async () => {
    const client = await connect();
    await expect(client.blocks({ signal: AbortSignal.abort(reason) }).next()).rejects.toBe(reason);
  });

  test("while it waits for a block", async () => {
    const client = await connect();
    const stop = new AbortController();
    const following = client.blocks({ from: NEWEST, signal: stop.signal });
    await following.next();
    const next = following.next();
    stop.abort(reason);
    await expect(next).rejects.toBe(reason);
    expect(await following.next()).toEqual({ done: true, value: undefined });
  });

  test("while it waits for a server", async () => {
    const stop = new AbortController();
    const SERVER = "http://server.example/";
    const server = turncoat(SERVER, network.url);
    const client = await connect({
      ...{ urls: [SERVER], fetch: server.fetch },
      onFailure: () => {
        stop.abort(reason);
      },
    });
    const following = client.blocks({ from: NEWEST - 1n, signal: stop.signal });
    await following.next();
    server.to(liar("reset"));
    await expect(following.next()).rejects.toBe(reason);
  });
});

describe("it ends at once", () => {
  const DONE = { done: true, value: undefined };
  const ends: [string, (client: LightClient, following: AsyncGenerator<Block>) => unknown][] = [
    ["by return()", (_, following) => following.return(undefined)],
    [
      "where the client is closed",
      (client) => {
        client.close();
      },
    ],
  ];

  test.each(ends)("%s while it waits for a block", async (_, end) => {
    const client = await connect();
    const following = client.blocks({ from: NEWEST });
    await following.next();
    const next = following.next();
    await end(client, following);
    expect(await next).toEqual(DONE);
    expect(await following.next()).toEqual(DONE);
    expect(await following.return()).toEqual(DONE);
  });

  test.each(ends)("%s while it waits for a server", async (_, end) => {
    const SERVER = "http://server.example/";
    const server = turncoat(SERVER, network.url);
    const client = await connect({ urls: [SERVER], fetch: server.fetch });
    server.to(liar("silence"));
    const following = client.blocks({ from: NEWEST });
    const next = following.next();
    await end(client, following);
    expect(await next).toEqual(DONE);
  });

  test.each(ends)("%s between two blocks", async (_, end) => {
    const client = await connect();
    const following = client.blocks({ from: 3n });
    await following.next();
    await end(client, following);
    expect(await following.next()).toEqual(DONE);
  });

  test("by throw(), which rejects", async () => {
    const client = await connect();
    const following = client.blocks({ from: NEWEST });
    await following.next();
    const next = following.next();
    const error = new Error("enough");
    await expect(following.throw(error)).rejects.toBe(error);
    expect(await next).toEqual(DONE);
  });
});

test.each<[string, BlocksOptions]>([
  ["a height that is a number", { from: 1 as never }],
  ["a negative height", { from: -1n }],
  ["a height of 65 bits", { from: 1n << 64n }],
  ["a digest of 32 bytes", { digest: new Uint8Array(32) }],
  ["a digest in hex", { digest: `0x${"00".repeat(33)}` as never }],
  ["a signal that is none", { signal: {} as never }],
  ["a misspelt option", { form: 1n } as never],
])("%s is refused", async (_, options) => {
  const client = await connect();
  const error = await rejection(client.blocks(options).next());
  expect(verdict(error)).toBe("invalid_input / invalid_argument");
});
