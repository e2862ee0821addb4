import { hexLength } from "../bytes.js";
import { describe, refuse } from "../error.js";

/** The most bytes that all the parts of an input may come to. */
const MAX_BYTES = 1 << 24;

/**
 * The input of a test with a string of bytes in the place of every object that stands for one.
 *
 * Only vector files have such objects: `{ "joined": ["0x01", { "repeat": "0x00", "times": 8388608 }] }`.
 * Throws `invalid_argument` if one has another form, or if they come to too many bytes.
 */
export function joinAll(input: unknown): unknown {
  let left = MAX_BYTES;

  const putIn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(putIn);
    if (!isObject(value)) return value;
    if (!Object.hasOwn(value, "joined")) {
      return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, putIn(it)]));
    }
    const parts = value["joined"];
    check(Object.keys(value).length === 1, "no member beside joined", value);
    check(Array.isArray(parts), "joined, an array", parts);
    return `0x${(parts as unknown[]).map(digits).join("")}`;
  };

  const digits = (part: unknown): string => {
    if (!isObject(part)) return repeated(part, 1);
    const { repeat, times } = part;
    check(Object.keys(part).length === 2, "a part with repeat and times alone", part);
    check(isU32(times), "times, an integer below 2^32", times);
    return repeated(repeat, times);
  };

  const repeated = (text: unknown, times: number): string => {
    const isBytes = typeof text === "string" && /^0x[0-9a-f]*$/i.test(text);
    check(isBytes && text.startsWith("0x") && text.length % 2 === 0, "a part of bytes", text);
    left -= hexLength(text) * times;
    check(left >= 0, `at most ${MAX_BYTES} bytes in an input`, "more");
    return text.slice(2).repeat(text.length > 2 ? times : 0);
  };

  return putIn(input);
}

function check(holds: boolean, expected: string, found: unknown): asserts holds {
  if (!holds) throw refuse("invalid_argument", `an input with ${expected}`, describe(found));
}

const isU32 = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
