/** How many questions a server answers at the same time, and how long others wait. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RequestSlots } from "../../src/transport/slots.js";
import { rejection, verdict } from "../refusal.js";

const PLACES = 256;
const TIMEOUT = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Places that are all taken, and how a question asks for one. */
async function full() {
  const places = new RequestSlots();
  const take = (signal?: AbortSignal) => places.take(TIMEOUT, "server.example", signal);
  for (let i = 0; i < PLACES; i++) await take();
  return { places, take };
}

test("those that wait get the places that become free, in their order", async () => {
  const { places, take } = await full();
  const order: number[] = [];
  const waiting = [1, 2, 3].map((n) => take().then(() => order.push(n)));
  places.free(true);
  places.free(false);
  await Promise.all(waiting.slice(0, 2));
  expect(order).toEqual([1, 2]);
  places.free(true);
  await waiting[2];
  for (let i = 0; i < PLACES; i++) places.free(true);
  for (let i = 0; i < PLACES; i++) await take();
});

test("nobody waits longer than the timeout while the server answers nothing", async () => {
  const { places, take } = await full();
  const [one, other] = [take(), rejection(take())];
  places.free(false);
  await one;
  await vi.advanceTimersByTimeAsync(TIMEOUT);
  expect(verdict(await other)).toBe("unavailable / request_timeout");
  places.free(false);
  await take();
});

test("everybody waits for as long as the server answers others", async () => {
  const { places, take } = await full();
  const waiting = Array.from({ length: 5 }, () => take());
  for (const next of waiting) {
    await vi.advanceTimersByTimeAsync(TIMEOUT - 1);
    places.free(true);
    await next;
  }
});

test("an abort ends the waiting, and takes no place", async () => {
  const { places, take } = await full();
  const stop = new AbortController();
  const aborted = take(stop.signal);
  const next = take();
  stop.abort(new Error("enough"));
  await expect(aborted).rejects.toBe(stop.signal.reason);
  places.free(true);
  await next;
  await expect(take(stop.signal)).rejects.toBe(stop.signal.reason);
  expect(vi.getTimerCount()).toBe(0);
});
