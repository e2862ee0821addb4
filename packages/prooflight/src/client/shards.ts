/** Servers that prove only a part of LVMT's keys: each key's question goes to one that has it. */

import { Arguments, invalid } from "../arguments.js";
import { toHex } from "../bytes.js";
import type { ChainConfig } from "../chain/checkpoint.js";
import { refuse, type VerifyError } from "../error.js";
import { hash } from "../wasm/hash.js";
import { type Listed, type Server, type Servers, worst } from "./servers.js";

/** The keys that a server proves: those whose class, the low `bits` bits of their index, is `value`. */
export interface Shard {
  /** How many bits make a class, 0 to 16; `2^bits` such servers together prove everything. */
  bits: number;
  /** The class, below `2^bits`. */
  value: number;
}

/** Checks the form of a shard; throws `invalid_argument`. */
export function readShard(given: unknown, path: string): Shard {
  const members = new Arguments("lvmt", given, ["bits", "value"], path);
  const [bits, value] = [members.u32("bits"), members.u32("value")];
  if (bits > 16) throw invalid("lvmt", `${path}.bits`, "at most 16", `${bits}`);
  if (value >= 2 ** bits) throw invalid("lvmt", `${path}.value`, `below 2^${bits}`, `${value}`);
  return { bits, value };
}

/** The index of a raw key's entry in the root vector: the first `logN` bits of its Keccak-256. */
export function indexOf(key: Uint8Array, { logN }: NonNullable<ChainConfig["lvmt"]>): number {
  const [first = 0, second = 0] = hash.call("lvmt", (wasm) => wasm.keccak256(key));
  return ((first << 8) | second) >> (16 - logN);
}

/** Whether a server proves the keys of an index; one without a shard proves all. */
const covers = ({ shard }: Listed, index: number) =>
  shard === undefined || index % 2 ** shard.bits === shard.value;

/**
 * Gives an answer for each of `keys`, of which `indices` has the indices, from servers that cover them.
 *
 * `ask` gets some of the keys by their numbers. One server is asked first, alone; once it has answered,
 * the others, all at once. What a server fails to answer the next one is asked for, as `Servers.ask`
 * does. Throws `shard_unavailable` if a key is covered by no server, before any is asked.
 */
export async function askShards<T>(
  servers: Servers,
  keys: readonly Uint8Array[],
  indices: readonly number[],
  ask: (server: Server, numbers: readonly number[]) => Promise<T[]>,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  const listed = servers.inOrder();
  indices.forEach((index, number) => {
    if (!listed.some((server) => covers(server, index))) throw uncovered(keys[number], index);
  });
  const answers = new Map<number, T>();
  const errors = new Map<Listed, VerifyError>();
  while (answers.size < keys.length) {
    const parts = new Map<Listed, number[]>();
    for (const [number, index] of indices.entries()) {
      if (answers.has(number)) continue;
      const server = listed.find((server) => covers(server, index) && !errors.has(server));
      if (!server) throw worst([...errors.values()]);
      const part = parts.get(server);
      if (part) part.push(number);
      else parts.set(server, [number]);
    }
    const asked = [...parts].slice(0, answers.size === 0 ? 1 : undefined);
    const replies = asked.map(async ([server, numbers]) => {
      const { answer, error } = await servers.try(server, (server) => ask(server, numbers), signal);
      if (error) errors.set(server, error);
      answer?.forEach((answer, at) => answers.set(numbers[at] ?? 0, answer));
    });
    await Promise.all(replies);
  }
  return keys.map((_, number) => answers.get(number) as T);
}

function uncovered(key: Uint8Array | undefined, index: number): VerifyError {
  const expected = "a server whose shard has every key";
  const found = `none for the key ${key ? toHex(key) : ""} at index ${index}`;
  return refuse("shard_unavailable", expected, found, { scheme: "lvmt" });
}
