/** What JSON of blocks shows of forks that this version does not know. */

import { refuse, VerifyError } from "../error.js";
import { HEADER_NAMES } from "./decode.js";
import type { Given } from "./json.js";

/** The newest field of headers that this version knows. */
const NEWEST = "requestsHash";

/** Members of blocks: fields of headers, the rest of a block, and what some servers add. */
const KNOWN: ReadonlySet<string> = new Set([
  ...HEADER_NAMES,
  ...["hash", "size", "totalDifficulty", "transactions", "uncles", "withdrawals"],
  ...["author", "sealFields", "blockTimestamp"],
]);

/** The most characters of a member's name. */
const LONGEST = 64;

/**
 * Runs `verify` with a header, and explains its error.
 *
 * A header with another hash is a lie, unless the JSON has members that may be fields of a later fork: then it is
 * `unsupported_fork`. They are never used for anything else.
 */
export function explainHeader<T>(block: Given, verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof VerifyError) || error.reason !== "header_hash_mismatch") throw error;
    const [name] = unknownMembers(block);
    if (name === undefined) throw error;
    const expected = `a header whose last field is ${NEWEST}`;
    throw refuse("unsupported_fork", expected, name.slice(0, LONGEST), { cause: error });
  }
}

function unknownMembers(block: Given): string[] {
  if (block.optional(NEWEST) === undefined) return [];
  return Object.entries(block.value as object)
    .filter(([name, value]) => !KNOWN.has(name) && typeof value === "string")
    .map(([name]) => name);
}
