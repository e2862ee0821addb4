/** Who may hold how many bytes of replies. */

import { describe, expect, test } from "vitest";
import { ReplyMemory, type Reservation } from "../../src/transport/memory.js";

const KIB = 1024;
const MIB = 1024 * KIB;
const BEGINNING = 256 * KIB;
const ROOM = { firstParts: MIB, rest: 2 * MIB };

/** Asks for bytes; says whether they are granted at once. */
async function grows(held: Reservation, bytes: number): Promise<boolean> {
  const granted = held.grow(bytes).then(() => true);
  const later = new Promise<boolean>((resolve) => setTimeout(resolve, 0, false));
  return Promise.race([granted, later]);
}

describe("with the room for long replies taken and one favoured", () => {
  const full = async () => {
    const inFlight = new ReplyMemory(ROOM);
    const [long, favoured] = [inFlight.open(), inFlight.open()];
    expect(await grows(long, BEGINNING + ROOM.rest)).toBe(true);
    expect(await grows(favoured, BEGINNING + 1)).toBe(true);
    return { inFlight, long, favoured };
  };

  test("a long reply waits until another one is released", async () => {
    for (const first of ["long", "favoured"] as const) {
      const { inFlight, ...held } = await full();
      const waits = inFlight.open();
      expect(await grows(waits, BEGINNING)).toBe(true);
      const granted = waits.grow(BEGINNING + 1);
      expect(await grows(inFlight.open(), BEGINNING + 1)).toBe(false);
      held[first].release();
      await granted;
    }
  });

  test("the favoured one does not", async () => {
    const { favoured } = await full();
    expect(await grows(favoured, 100 * MIB)).toBe(true);
  });

  test("nor does a short one, although a long one waits before it", async () => {
    const { inFlight } = await full();
    expect(await grows(inFlight.open(), BEGINNING + 1)).toBe(false);
    for (let i = 0; i < 3; i++) expect(await grows(inFlight.open(), BEGINNING)).toBe(true);
  });

  test("short ones wait where there is no room for their firstParts either", async () => {
    const { inFlight, long } = await full();
    for (let i = 0; i < 3; i++) expect(await grows(inFlight.open(), BEGINNING)).toBe(true);
    const [first, second] = [inFlight.open(), inFlight.open()];
    const granted = first.grow(BEGINNING);
    expect(await grows(second, BEGINNING)).toBe(false);
    long.release();
    await granted;
  });

  test("one that is released while it waits goes on, and leaves nothing", async () => {
    const { inFlight, long, favoured } = await full();
    const waits = inFlight.open();
    const ended = waits.grow(BEGINNING + MIB);
    waits.release();
    await ended;
    for (const held of [long, favoured]) held.release();
    expect(await grows(inFlight.open(), BEGINNING + ROOM.rest)).toBe(true);
    expect(await grows(inFlight.open(), BEGINNING)).toBe(true);
  });
});

test("replies that all come in part end one after the other, and hold no more than there is room for", async () => {
  const inFlight = new ReplyMemory(ROOM);
  const [LENGTH, STEP] = [4 * MIB, 64 * KIB];
  let [held, most, ended] = [0, 0, 0];
  const read = async () => {
    const reply = inFlight.open();
    for (let bytes = STEP; bytes <= LENGTH; bytes += STEP) {
      await reply.grow(bytes);
      held += STEP;
      most = Math.max(most, held);
    }
    held -= LENGTH;
    ended += 1;
    reply.release();
  };
  await Promise.all(Array.from({ length: 20 }, read));
  expect(ended).toBe(20);
  expect(held).toBe(0);
  expect(most).toBeGreaterThan(LENGTH);
  expect(most).toBeLessThanOrEqual(ROOM.firstParts + ROOM.rest + LENGTH);
});
