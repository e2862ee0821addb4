/** Heads that the application names itself, for development nodes without a beacon chain. */

import { Arguments, invalid } from "../arguments.js";
import { type Hex, toHex } from "../bytes.js";
import { describe, refuse, VerifyError } from "../error.js";
import { type BytesLike, bytesLike } from "../mpt/bytes.js";
import type { HeadSource, Heads } from "./heads.js";

/** The hashes of execution blocks that the application trusts. */
export interface PinnedHeads {
  latest: BytesLike;
  /** Default: `latest`. */
  finalized?: BytesLike | undefined;
}

/** Hashes, or a function that returns the newest ones. It must not ask a server that is being checked. */
export type Pins = PinnedHeads | (() => PinnedHeads | Promise<PinnedHeads>);

/** A source of heads that the application gives. */
export class PinnedSource implements HeadSource {
  readonly #given: (() => unknown) | Heads;

  /** Throws `invalid_argument` unless `given` is hashes or a function. */
  constructor(given: unknown) {
    this.#given = typeof given === "function" ? (given as () => unknown) : readHeads(given);
  }

  async newest(): Promise<Heads> {
    if (typeof this.#given !== "function") return this.#given;
    try {
      return readHeads(await this.#given());
    } catch (cause) {
      if (cause instanceof VerifyError) throw cause;
      throw refuse("unknown_block", "heads from heads()", describe(cause), { cause });
    }
  }

  // The application's heads are always trusted.
  check(): void {
    return;
  }

  // Nothing is known of the beacon chain.
  forkVersion(): undefined {
    return undefined;
  }
}

function readHeads(given: unknown): Heads {
  if (typeof given !== "object") {
    throw invalid(undefined, "heads", "hashes of blocks, or a function", describe(given));
  }
  const members = new Arguments(undefined, given, ["latest", "finalized"], "heads");
  const hash = (name: "latest" | "finalized") =>
    toHex(bytesLike(members.unchecked(name), `heads.${name}`, 32)) as Hex;
  const head = (executionBlockHash: Hex) => ({ slot: 0n, executionBlockHash });
  const latest = head(hash("latest"));
  return {
    latest,
    finalized: members.unchecked("finalized") === undefined ? latest : head(hash("finalized")),
  };
}
