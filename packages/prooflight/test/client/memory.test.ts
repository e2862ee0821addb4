/** What many questions at once take: memory, connections, and no time of each other. */

import { expect, test } from "vitest";

import { alice } from "../network/state.js";
import { rejection, verdict } from "../refusal.js";
import { connect, Events, honest, turncoat } from "./network.js";

const SERVER = "http://server.example/";
const MIB = 2 ** 20;
/** What may be held of answers, beside one of `maxReplyBytes`. */
const ROOM = 24 * MIB;

test("however much servers send to many questions, no more is held than there is room for", async () => {
  const server = turncoat(SERVER, honest);
  const [questions, maxReplyBytes] = [20, 4 * MIB];
  const spaces = new TextEncoder().encode(" ".repeat(2 ** 16));
  let [endless, held, most] = [false, 0, 0];
  const client = await connect({
    ...{ urls: [SERVER], maxReplyBytes },
    fetch: (...call) => {
      if (!endless) return server.fetch(...call);
      let sent = 0;
      const body = new ReadableStream(
        {
          pull: (controller) => {
            controller.enqueue(spaces.slice());
            sent += spaces.length;
            held += spaces.length;
            most = Math.max(most, held);
          },
          cancel: () => {
            held -= sent;
          },
        },
        { highWaterMark: 0 },
      );
      return Promise.resolve(new Response(body));
    },
  });
  endless = true;
  const asked = Array.from({ length: questions }, () => client.history(alice, { from: 1n }));
  const errors = await Promise.all(asked.map(rejection));
  expect(new Set(errors.map(verdict))).toEqual(new Set(["unavailable / invalid_reply"]));
  expect(held).toBe(0);
  // Each has a part in hand that it has not taken yet.
  expect(most).toBeLessThanOrEqual(ROOM + maxReplyBytes + questions * spaces.length);
  expect(most).toBeGreaterThan(ROOM);
  endless = false;
  expect((await client.history(alice, { from: 1n })).changes.length).toBeGreaterThan(0);
});

test("neither histories nor a value wait for what a silent server does not send", async () => {
  const [SILENT, OTHER] = ["http://silent.example/", "http://other.example/"];
  const calls = new Events<string>();
  const failed: string[] = [];
  let end: () => void = () => undefined;
  const silence = new Promise<void>((resolve) => (end = resolve));
  const client = await connect({
    urls: [SILENT, OTHER],
    onFailure: ({ url }) => failed.push(url),
    fetch: async (url, init) => {
      const call = typeof init?.body === "string" ? init.body : "";
      if (url instanceof URL && url.href === SILENT && call.includes("prooflight_history")) {
        calls.add(call);
        await silence;
        throw new Error("the connection ended");
      }
      return fetch(honest, init);
    },
  });
  const histories = Array.from({ length: 10 }, () => client.history(alice, { from: 1n }));
  await calls.first(() => calls.all.length === 10);
  expect((await client.get(alice)).kind).toBe("present");
  expect(failed).toEqual([]);
  end();
  for (const { evidence } of await Promise.all(histories)) expect(evidence.server).toBe(OTHER);
  expect(failed).toEqual(Array.from({ length: 10 }, () => SILENT));
});

test("a server is asked at most 256 questions at the same time, and answers all", async () => {
  let [open, most] = [0, 0];
  const client = await connect({
    urls: [honest],
    fetch: async (...call) => {
      open += 1;
      most = Math.max(most, open);
      try {
        return await fetch(...call);
      } finally {
        open -= 1;
      }
    },
  });
  const answers = await Promise.all(Array.from({ length: 600 }, () => client.get(alice)));
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["present"]));
  expect(most).toBe(256);
});
