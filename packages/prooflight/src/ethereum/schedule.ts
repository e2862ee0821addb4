/** The forks that a network is known to have, and what servers say about others. */

import { refuse, VerifyError } from "../error.js";
import type { Reason } from "../registry.js";

/** Before light clients; no fork that a newer version knows. */
const BEFORE = "phase0";

/** The most characters of a fork's name. */
const LONGEST = 32;

export class Schedule {
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
      if (!isOther || !(error instanceof VerifyError) || !isOfOtherRules(error)) throw error;
      const expected = `data of a fork up to ${this.#forks.at(-1) ?? BEFORE}`;
      const found = `${claimed.slice(0, LONGEST)}, which this version does not know`;
      throw refuse("unsupported_fork", expected, found, { cause: error });
    }
  }

  #knows(fork: string): boolean {
    const name = fork.toLowerCase();
    return name === BEFORE || this.#forks.includes(name);
  }
}

/** Refusals of data by other rules than ours, besides those that do not have our form. */
const OF_OTHER_RULES: ReadonlySet<Reason> = new Set([
  "branch_mismatch",
  "header_hash_mismatch",
  "invalid_signature",
]);

const isOfOtherRules = ({ code, reason }: VerifyError) =>
  code === "malformed" || OF_OTHER_RULES.has(reason);
