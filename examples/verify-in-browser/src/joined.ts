// Long values, which tests of vector files write as parts to join.

import { NotAProof } from "./not-a-proof.js";

type JsonObject = Record<string, unknown>;

/** The limits on the bytes and items of all parts of an input. */
const MAX_BYTES = 1 << 24;
const MAX_ITEMS = 1 << 17;

/**
 * The input of a test, with each `{ "joined": ["0x01", { "repeat": "0x00", "times": 8388608 }] }` in it
 * replaced by the bytes in hexadecimal, or by the array if the parts are arrays. Throws `NotAProof`.
 */
export function joinParts(input: JsonObject): JsonObject {
  const left = { bytes: MAX_BYTES, items: MAX_ITEMS };

  const take = (kind: keyof typeof left, count: number) => {
    left[kind] -= count;
    if (left[kind] >= 0) return;
    throw new NotAProof("Its values in parts have more than 16 MiB or 131,072 items.");
  };

  const join = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(join);
    if (!isObject(value)) return value;
    if (!("joined" in value)) return joinMembers(value);
    if (!Array.isArray(value.joined) || Object.keys(value).length > 1) throw wrongPart();
    const parts = value.joined.map(readPart);
    return Array.isArray(parts[0]?.repeat)
      ? parts.flatMap(items)
      : `0x${parts.map(digits).join("")}`;
  };

  const joinMembers = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, join(value)]));

  const digits = ({ repeat, times }: Part): string => {
    if (!isBytes(repeat)) throw wrongPart();
    const pairs = repeat.slice(2);
    take("bytes", (pairs.length / 2) * times);
    return pairs.repeat(times);
  };

  const items = ({ repeat, times }: Part): unknown[] => {
    if (!Array.isArray(repeat)) throw wrongPart();
    take("items", repeat.length * times);
    return Array.from({ length: repeat.length && times }, () => repeat as unknown[]).flat();
  };

  return joinMembers(input);
}

/** A value, and how often it repeats. */
interface Part {
  repeat: unknown;
  times: number;
}

function readPart(part: unknown): Part {
  if (!isObject(part)) return { repeat: part, times: 1 };
  const { repeat, times, ...others } = part;
  if (!isCount(times) || Object.keys(others).length > 0) throw wrongPart();
  return { repeat, times };
}

const wrongPart = () =>
  new NotAProof(
    "The parts of a value should be bytes, arrays, or objects with only repeat and times.",
  );

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isBytes = (value: unknown): value is string =>
  typeof value === "string" && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
