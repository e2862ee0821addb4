import { hexLength } from "../bytes.js";
import { describe, refuse } from "../error.js";
import { isHex, isObject, isU32 } from "./edits.js";

/** The most bytes that all joined parts of an input may have. */
const MAX_BYTES = 1 << 24;

/** The most items that they may have. */
const MAX_ITEMS = 1 << 17;

/**
 * Replaces every object with joined parts in a test's JSON by the bytes or the array.
 *
 * Only vector files have such objects: `{ "joined": ["0x01", { "repeat": "0x00", "times": 8388608 }] }`.
 * Throws `invalid_argument` if one has another form, or if they are too large together.
 */
export function joinAll(json: unknown): unknown {
  let bytesLeft = MAX_BYTES;
  let itemsLeft = MAX_ITEMS;

  const putIn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(putIn);
    if (!isObject(value)) return value;
    if (!Object.hasOwn(value, "joined")) {
      return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, putIn(it)]));
    }
    check(Object.keys(value).length === 1, "no member beside joined", value);
    check(Array.isArray(value["joined"]), "joined, an array", value["joined"]);
    const parts = value["joined"].map(readPart);
    if (Array.isArray(parts[0]?.repeat)) return parts.flatMap(items);
    return `0x${parts.map(digits).join("")}`;
  };

  const digits = ({ repeat: text, times }: Part): string => {
    check(isHex(text), "a part of bytes", text);
    bytesLeft -= hexLength(text) * times;
    check(bytesLeft >= 0, `at most ${MAX_BYTES} bytes in it`, "more");
    return text.slice(2).repeat(text.length > 2 ? times : 0);
  };

  const items = ({ repeat: some, times }: Part): unknown[] => {
    check(Array.isArray(some) && !hasJoined(some), "a part of plain items", some);
    itemsLeft -= some.length * times;
    check(itemsLeft >= 0, `at most ${MAX_ITEMS} joined items`, "more");
    return Array.from({ length: some.length && times }, () => some as unknown[]).flat();
  };

  return putIn(json);
}

/** Bytes or items, and how often they repeat. */
interface Part {
  repeat: unknown;
  times: number;
}

function readPart(part: unknown): Part {
  if (!isObject(part)) return { repeat: part, times: 1 };
  const { repeat, times } = part;
  check(Object.keys(part).length === 2, "a part with repeat and times alone", part);
  check(isU32(times), "times, an integer below 2^32", times);
  return { repeat, times };
}

function hasJoined(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "joined") || Object.values(value).some(hasJoined);
}

function check(holds: boolean, expected: string, found: unknown): asserts holds {
  if (!holds) throw refuse("invalid_argument", `an input with ${expected}`, describe(found));
}
