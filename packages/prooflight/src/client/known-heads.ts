import type { Bytes } from "../bytes.js";

/** A header of the accepted history. The pinned checkpoint has no signed form. */
export interface Known {
  height: bigint;
  hash: Bytes;
  signed: Bytes | undefined;
}

const MOST_HEADS = 256;
const MOST_BYTES = 1 << 20;

/**
 * The last accepted heads, and the pinned checkpoint.
 *
 * They show a client with a single server that a lower head belongs to another history.
 */
export class KnownHeads {
  readonly #pinned: Known;
  /** Ascending by height, as heads are accepted. */
  readonly #heads: Known[] = [];
  #bytes = 0;

  constructor(pinned: Known) {
    this.#pinned = pinned;
  }

  add(head: Known): void {
    this.#heads.push(head);
    this.#bytes += sizeOf(head);
    while (
      this.#heads.length > MOST_HEADS ||
      (this.#bytes > MOST_BYTES && this.#heads.length > 1)
    ) {
      const oldest = this.#heads.shift();
      if (oldest) this.#bytes -= sizeOf(oldest);
    }
  }

  /** The newest known header up to this height. */
  upTo(height: bigint): Known | undefined {
    for (let at = this.#heads.length - 1; at >= 0; at--) {
      const head = this.#heads[at];
      if (head && head.height <= height) return head;
    }
    return this.#pinned.height <= height ? this.#pinned : undefined;
  }
}

const sizeOf = ({ signed }: Known) => signed?.length ?? 0;
