/** Replies that are mixed up at random: what the client says is true, or it says nothing. */

import { expect, test } from "vitest";

import { fromHex, LightClient, toHex, VerifyError } from "../../src/index.js";
import { alice, deleted, empty, NEWEST, nobody, PINNED, stateAt } from "../network/state.js";
import { network } from "./network.js";

const ROUNDS = 400;
const seed = Math.floor(Math.random() * 2 ** 31);
const keys = [alice, nobody, empty, deleted];

/** Numbers below `n` that a seed repeats (mulberry32). */
function random(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
}

const next = random(seed);
const pick = <T>(items: readonly T[]): T => items[next(items.length)] as T;

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** Replies that were seen, from which parts are taken. */
const seen: Json[] = [];

/** A value with one part, anywhere in it, changed or taken from another reply. */
function mutate(value: Json, other: Json): Json {
  if (next(8) === 0) return other;
  if (Array.isArray(value)) {
    const copy = [...value];
    const at = next(copy.length + 1);
    const from = Array.isArray(other) ? other : [];
    if (next(3) === 0) copy.splice(at, next(2), ...from.slice(at, at + next(3)));
    else if (at < copy.length) copy[at] = mutate(copy[at] ?? null, from[at] ?? null);
    return copy;
  }
  if (typeof value === "object" && value !== null) {
    const name = pick(Object.keys(value));
    const theirs = typeof other === "object" && other !== null && !Array.isArray(other);
    return { ...value, [name]: mutate(value[name] ?? null, theirs ? (other[name] ?? null) : null) };
  }
  if (typeof value === "string") return mutateHex(value, typeof other === "string" ? other : "");
  return other;
}

function mutateHex(hex: string, other: string): string {
  const at = 2 + next(Math.max(1, hex.length - 2));
  switch (next(5)) {
    case 0:
      return (
        hex.slice(0, at) +
        (parseInt(hex.charAt(at) || "0", 16) ^ (1 << next(4))).toString(16) +
        hex.slice(at + 1)
      );
    case 1:
      return hex.slice(0, at - (at % 2));
    case 2:
      return hex.slice(0, at - (at % 2)) + other.slice(at - (at % 2));
    case 3:
      return hex + other.slice(2, 2 + 2 * next(40));
    default:
      return other;
  }
}

/** Mixes up a reply half of the time. */
let mixing = false;
const mixed: typeof fetch = async (...call) => {
  const response = await fetch(...call);
  const reply = (await response.json()) as { result?: Json };
  if (reply.result === undefined) return Response.json(reply);
  seen.push(reply.result);
  if (!mixing || next(2) === 0) return Response.json(reply);
  return Response.json({ ...reply, result: mutate(reply.result, pick(seen)) });
};

test(`${ROUNDS} random questions with the seed ${seed}`, async () => {
  const options = { urls: [network.url], checkpoint: network.pinned, fetch: mixed };
  const honest = await LightClient.connect({ ...options, fetch });
  const hashes = new Map<bigint, string>();
  for (let height = 0n; height <= NEWEST; height++) {
    hashes.set(height, toHex((await honest.get(alice, { at: height })).block.hash));
  }
  let client = await LightClient.connect(options);
  const counts = { answered: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    mixing = true;
    const asked = Array.from({ length: 1 + next(3) }, () => pick(keys));
    const at = pick(["latest", BigInt(next(Number(NEWEST) + 1))] as const);
    try {
      if (next(10) === 0) client = await LightClient.connect(options);
      if (next(10) === 0) {
        const from = BigInt(next(Number(client.head.height) + 1));
        const blocks = client.blocks({ from });
        const block = (await blocks.next()).value;
        await blocks.return();
        expect(block && toHex(block.header.hash)).toBe(hashes.get(from));
        expect(block?.digest).toEqual(block?.header.roots.avl);
      }
      const answers = await client.getMany(asked, { at });
      answers.forEach(({ block, ...answer }, index) => {
        expect(toHex(block.hash)).toBe(hashes.get(block.height));
        if (at === "latest") expect(block.height).toBeGreaterThanOrEqual(PINNED);
        else expect(block.height).toBe(at);
        const value = stateAt(block.height).get(asked[index] ?? "0x");
        expect(answer).toMatchObject(
          value === undefined ? { kind: "absent" } : { kind: "present", value: fromHex(value) },
        );
      });
      counts.answered += 1;
    } catch (error) {
      if (!(error instanceof VerifyError)) throw error;
      expect(["malformed", "mismatch", "untrusted", "unavailable"]).toContain(error.code);
      expect(error.reason).not.toBe("equivocation");
      counts.refused += 1;
    }
    expect(toHex(client.head.hash)).toBe(hashes.get(client.head.height));
  }
  expect(counts.answered).toBeGreaterThan(ROUNDS / 10);
  expect(counts.refused).toBeGreaterThan(ROUNDS / 10);
});
