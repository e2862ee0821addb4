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

export class PinnedSource implements HeadSource {
  readonly #given: (() => unknown) | Heads;

  /** Throws `invalid_argument` unless they are hashes or a function. */
  constructor(given: unknown) {
    this.#given = typeof given === "function" ? (given as () => unknown) : read(given);
  }

  async newest(): Promise<Heads> {
    if (typeof this.#given !== "function") return this.#given;
    try {
      return read(await this.#given());
    } catch (cause) {
      if (cause instanceof VerifyError) throw cause;
      throw refuse("unknown_block", "heads from heads()", describe(cause), { cause });
    }
  }

  // Nothing contradicts the application.
  check(): void {
    return;
  }
}

function read(given: unknown): Heads {
  if (typeof given !== "object") {
    throw invalid(undefined, "heads", "hashes of blocks, or a function", describe(given));
  }
  const members = new Arguments(undefined, given, ["latest", "finalized"], "heads");
  const hash = (name: "latest" | "finalized") =>
    toHex(bytesLike(members.unchecked(name), `heads.${name}`, 32)) as Hex;
  const tip = (executionBlockHash: Hex) => ({ slot: 0n, executionBlockHash });
  const latest = tip(hash("latest"));
  return {
    latest,
    finalized: members.unchecked("finalized") === undefined ? latest : tip(hash("finalized")),
  };
}
