/** How much of what servers send a client holds, whatever they send and however much it asks at once. */

import { expect, test } from "vitest";

import { alice } from "../network/state.js";
import { rejection, verdict } from "../refusal.js";
import { connect, honest, turncoat } from "./network.js";

const SERVER = "http://server.example/";
const ROOM = 64 * 2 ** 20;

test("many questions at once are not all answered at once where answers may be large", async () => {
  const server = turncoat(SERVER, honest);
  let [spaces, open, most] = [false, 0, 0];
  const client = await connect({
    urls: [SERVER],
    fetch: (...call) => {
      if (!spaces) return server.fetch(...call);
      open += 1;
      most = Math.max(most, open);
      const body = new ReadableStream(
        {
          pull: (controller) => {
            controller.enqueue(new TextEncoder().encode(" "));
            controller.close();
            open -= 1;
          },
        },
        { highWaterMark: 0 },
      );
      return Promise.resolve(new Response(body));
    },
  });
  spaces = true;
  const asked = Array.from({ length: 8 }, () => client.history(alice, { from: 1n }));
  const errors = await Promise.all(asked.map(rejection));
  expect(new Set(errors.map(verdict))).toEqual(new Set(["unavailable / invalid_reply"]));
  // One may have 40 MiB, so that there is no room for two.
  expect(most).toBe(Math.floor(ROOM / (40 * 2 ** 20)));
  spaces = false;
  expect((await client.history(alice, { from: 1n })).changes.length).toBeGreaterThan(0);
});
