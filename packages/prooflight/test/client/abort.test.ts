/** Questions that are given up, by a signal or because they take too long. */

import { describe, expect, test, vi } from "vitest";
import { LightClient } from "../../src/index.js";
import { call } from "../../src/transport/rpc.js";
import { alice } from "../network/state.js";
import { rejection, verdict } from "../refusal.js";
import { connect, Events, failures, honest, liar, network, turncoat } from "./network.js";

const SERVER = "http://server.example/";
const checkpoint = network.pinned;

const questions: [string, (client: LightClient, signal: AbortSignal) => Promise<unknown>][] = [
  ["sync", (client, signal) => client.sync({ signal })],
  ["get", (client, signal) => client.get(alice, { signal })],
  ["getMany", (client, signal) => client.getMany([alice], { at: 5n, signal })],
  [
    "blocks",
    async (client, signal) => {
      const blocks = client.blocks({ from: 5n, signal });
      await blocks.next();
      await blocks.return();
    },
  ],
];

/** A client to whose server something happens once it is connected. */
async function connected() {
  const asked = new Events<string>();
  const server = turncoat(SERVER, honest);
  const fetched: typeof fetch = (url, init) => {
    const reply = server.fetch(url, init);
    asked.add(typeof init?.body === "string" ? init.body : "");
    return reply;
  };
  const { heard, onFailure } = failures();
  const client = await connect({ urls: [SERVER, SERVER], fetch: fetched, onFailure });
  asked.all.length = 0;
  return { client, server, asked, heard };
}

describe.each(questions)("%s", (_, ask) => {
  test("is not begun where the signal was given before", async () => {
    const { client, asked } = await connected();
    const reason = new Error("enough");
    await expect(ask(client, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(asked.all).toEqual([]);
  });

  test.each(["silence", "slow-body"])("ends while the server shows %s", async (name) => {
    const { client, server, asked, heard } = await connected();
    server.to(liar(name));
    const stop = new AbortController();
    const answer = ask(client, stop.signal);
    await asked.first();
    stop.abort();
    await expect(answer).rejects.toBe(stop.signal.reason);
    // Nobody lied, and nobody else is asked.
    expect(heard).toEqual([]);
    expect(asked.all).toHaveLength(1);
    server.to(honest);
    expect((await client.get(alice)).kind).toBe("present");
  });

  test("ends with a reason that looks like a server's failure", async () => {
    const { client, server, asked, heard } = await connected();
    const reason = await rejection(client.get("0x", { at: 99n }));
    heard.length = asked.all.length = 0;
    server.to(liar("silence"));
    const stop = new AbortController();
    const answer = ask(client, stop.signal);
    await asked.first();
    stop.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(heard).toEqual([]);
  });

  test("leaves nothing on a signal that is used again", async () => {
    const { client } = await connected();
    const { signal } = new AbortController();
    const listeners = {
      add: vi.spyOn(signal, "addEventListener"),
      remove: vi.spyOn(signal, "removeEventListener"),
    };
    for (let round = 0; round < 3; round++) await ask(client, signal);
    client.close();
    const left = new Set(listeners.add.mock.calls.map(([, listener]) => listener));
    expect(left.size).toBeGreaterThan(0);
    for (const [, listener] of listeners.remove.mock.calls) left.delete(listener);
    expect(left.size).toBe(0);
  });
});

describe("connect", () => {
  test("is not begun where the signal was given before", async () => {
    const fetched = vi.fn(fetch);
    const signal = AbortSignal.abort();
    await expect(connect({ signal, fetch: fetched })).rejects.toBe(signal.reason);
    expect(fetched).not.toHaveBeenCalled();
  });

  test("ends while the server says nothing", async () => {
    const stop = new AbortController();
    const asked = new Events<true>();
    const answer = connect({
      ...{ urls: [liar("silence")], signal: stop.signal },
      fetch: (...call) => {
        asked.add(true);
        return fetch(...call);
      },
    });
    await asked.first();
    stop.abort();
    await expect(answer).rejects.toBe(stop.signal.reason);
  });
});

describe("a question takes no longer than the timeout, whatever fetch does:", () => {
  const never = new Promise<never>(() => undefined);
  const endless = () => new Response(new ReadableStream({ pull: () => never }));
  const empty = () =>
    new Response(
      new ReadableStream({
        pull: (stream) => {
          stream.enqueue(new Uint8Array());
        },
      }),
    );

  test.each<[string, typeof fetch]>([
    ["it never resolves and does not look at its signal", () => never],
    ["its body never comes", () => Promise.resolve(endless())],
    ["its body comes in empty pieces without an end", () => Promise.resolve(empty())],
  ])("%s", async (_, fetch) => {
    const options = { urls: [SERVER], checkpoint, fetch, timeout: 50 };
    expect(verdict(await rejection(LightClient.connect(options)))).toBe(
      "unavailable / request_timeout",
    );
    const stop = new AbortController();
    const asked = LightClient.connect({ ...options, timeout: 60_000, signal: stop.signal });
    stop.abort();
    await expect(asked).rejects.toBe(stop.signal.reason);
  });

  test("nor if there is no memory for its body", async () => {
    const url = new URL(SERVER);
    const grow = () => never;
    const options = { fetch: () => Promise.resolve(new Response("{}")), maxReplyBytes: 100, grow };
    const asked = call({ ...options, timeout: 50 }, url, "method", {}, undefined);
    expect((await rejection(asked)).reason).toBe("request_timeout");
  });

  test.each<[string, () => unknown, string]>([
    [
      "it throws",
      () => {
        throw new TypeError("no network");
      },
      "unreachable",
    ],
    ["it rejects with what is no error", () => Promise.reject("no"), "unreachable"], // eslint-disable-line
    ["it gives nothing", () => undefined, "unreachable"],
    ["it gives a body without bytes", () => new Response(null), "invalid_reply"],
  ])("%s", async (_, fetch, reason) => {
    const asked = LightClient.connect({ urls: [SERVER], checkpoint, fetch: fetch as never });
    expect((await rejection(asked)).reason).toBe(reason);
  });
});
