/** The forks that this version knows, and how data of other forks are recognised. */

import { refuse, VerifyError } from "../error.js";
import type { Reason } from "../registry.js";
import { HEADER_NAMES } from "./decode.js";
import type { JsonValue } from "./json.js";

/** The newest field of headers that this version knows. */
const NEWEST_FIELD = "requestsHash";

/** Members of blocks: fields of headers, the rest of a block, and what some servers add. */
const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  ...HEADER_NAMES,
  ...["hash", "size", "totalDifficulty", "transactions", "uncles", "withdrawals"],
  ...["author", "sealFields", "blockTimestamp"],
]);

/** The most characters of a member's name. */
const MAX_MEMBER_CHARACTERS = 64;

/**
 * Runs `verify` with a header, and explains its error.
 *
 * A header with another hash is a lie, unless the JSON has members that may be fields of a later fork: then it is
 * `unsupported_fork`. Such members are used for nothing else.
 */
export function explainHeader<T>(block: JsonValue, verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof VerifyError) || error.reason !== "header_hash_mismatch") throw error;
    const [name] = unknownMembers(block);
    if (name === undefined) throw error;
    const expected = `a header whose last field is ${NEWEST_FIELD}`;
    throw refuse("unsupported_fork", expected, name.slice(0, MAX_MEMBER_CHARACTERS), {
      cause: error,
    });
  }
}

function unknownMembers(block: JsonValue): string[] {
  if (block.optional(NEWEST_FIELD) === undefined) return [];
  return Object.entries(block.value as object)
    .filter(([name, value]) => !KNOWN_MEMBERS.has(name) && typeof value === "string")
    .map(([name]) => name);
}

/** The fork before light clients, which every version knows. */
const FIRST_FORK = "phase0";

/** The most characters of a fork's name. */
const MAX_FORK_CHARACTERS = 32;

/** The forks of a network that this version knows. */
export class ForkSchedule {
  readonly #forks: readonly string[];

  constructor(forks: readonly string[]) {
    this.#forks = forks;
  }

  /**
   * Runs `read` with data that a server claims to be of a fork, and explains its errors.
   *
   * A claim never changes how data are read. But if they cannot be read or do not verify, and the network is not known
   * to have that fork, the refusal is `unsupported_fork`: an honest server's data would look like that after a fork
   * that this version does not know.
   */
  explain<T>(claimed: unknown, read: () => T): T {
    try {
      return read();
    } catch (error) {
      const isOther = typeof claimed === "string" && claimed !== "" && !this.#knows(claimed);
      if (!isOther || !(error instanceof VerifyError) || !mayBeOfOtherFork(error)) throw error;
      const expected = `data of a fork up to ${this.#forks.at(-1) ?? FIRST_FORK}`;
      const found = `${claimed.slice(0, MAX_FORK_CHARACTERS)}, which this version does not know`;
      throw refuse("unsupported_fork", expected, found, { cause: error });
    }
  }

  #knows(fork: string): boolean {
    const name = fork.toLowerCase();
    return name === FIRST_FORK || this.#forks.includes(name);
  }
}

/** The reasons to refuse data of another fork, besides the reasons of malformed data. */
const OTHER_FORK_REASONS: ReadonlySet<Reason> = new Set([
  "branch_mismatch",
  "header_hash_mismatch",
  "invalid_signature",
]);

const mayBeOfOtherFork = ({ code, reason }: VerifyError) =>
  code === "malformed" || OTHER_FORK_REASONS.has(reason);
