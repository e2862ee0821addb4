import type { Bytes } from "../bytes.js";

/** A header of the accepted history; without its signed form if it is the pinned checkpoint. */
export interface Known {
  height: bigint;
  hash: Bytes;
  signed: Bytes | undefined;
}

const MOST_HEADS = 256;
const MOST_BYTES = 1 << 20;

/**
 * The heads that were accepted last, and the pinned checkpoint.
 *
 * With them a client that has one server alone can tell that this shows a lower head of another history.
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

  /** The newest one of at most this height. */
  upTo(height: bigint): Known | undefined {
    for (let at = this.#heads.length - 1; at >= 0; at--) {
      const head = this.#heads[at];
      if (head && head.height <= height) return head;
    }
    return this.#pinned.height <= height ? this.#pinned : undefined;
  }
}

const sizeOf = ({ signed }: Known) => signed?.length ?? 0;
