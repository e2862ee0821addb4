/** Compares answers with recorded ones, field by field. */

import { expect } from "vitest";

type Json = Record<string, unknown>;

/** What the program that recorded the results has wrong, or nodes do not say; the data's README names it. */
const WRONG: Readonly<Record<string, (found: Json, recorded: unknown) => boolean>> = {
  // It has the root of SSZ. Blocks are told by `withdrawals`, which nothing else has; the header's hash covers it.
  withdrawalsRoot: (found) => "withdrawals" in found,
  // It has all members in every type of transaction, empty.
  authorizationList: (found, recorded) => isEmpty(recorded) && found["type"] !== "0x4",
  blobVersionedHashes: (found, recorded) => isEmpty(recorded) && found["type"] !== "0x3",
  accessList: (found, recorded) => isEmpty(recorded) && found["type"] === "0x0",
  yParity: (found) => found["type"] === "0x0",
  maxFeePerGas: (found, recorded) => isBeforeLondon(found) && recorded === "0x0",
  maxPriorityFeePerGas: (found, recorded) => isBeforeLondon(found) && recorded === "0x0",
  // Since the merge, it says nothing, and newer nodes have dropped it.
  totalDifficulty: (found) => found["difficulty"] === "0x0",
};

/** Quantities that it writes with leading zeros, and slots, of which nodes write keys and values in several ways. */
const NUMBERS = new Set(["r", "s", "key", "value"]);

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
const isBeforeLondon = ({ type }: Json) => type === "0x0" || type === "0x1";

/**
 * Expects every recorded field in an answer, with the same value, as deep as it goes, apart from those that are known to
 * be wrong. An answer may have more fields, but no more items.
 */
export function sameAsRecorded(found: unknown, recorded: unknown, path = "result"): void {
  if (Array.isArray(recorded)) {
    const items = Array.isArray(found) ? (found as unknown[]) : [];
    expect([path, items.length]).toEqual([path, recorded.length]);
    recorded.forEach((item: unknown, at) => {
      sameAsRecorded(items[at], item, `${path}[${at}]`);
    });
  } else if (typeof recorded === "object" && recorded !== null) {
    expect([path, typeof found]).toEqual([path, "object"]);
    for (const [name, value] of Object.entries(recorded)) {
      const answer = found as Json;
      const isWrong = WRONG[name]?.(answer, value) === true;
      const as = (one: unknown) => (NUMBERS.has(name) ? String(BigInt(one as string)) : one);
      if (!isWrong) sameAsRecorded(as(answer[name]), as(value), `${path}.${name}`);
    }
  } else expect([path, plain(found)]).toEqual([path, plain(recorded)]);
}

/** Letters in hexadecimal digits may be checksums. */
const plain = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value);
