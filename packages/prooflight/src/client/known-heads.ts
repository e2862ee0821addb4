import type { Bytes } from "../bytes.js";

/** A header of the accepted history. The pinned checkpoint has no signed form. */
export interface KnownHead {
  height: bigint;
  hash: Bytes;
  signed: Bytes | undefined;
}

const MAX_HEADS = 256;
const MAX_BYTES = 1 << 20;

/**
 * The last accepted heads, and the pinned checkpoint.
 *
 * They show a client with a single server that a lower head belongs to another history.
 */
export class KnownHeads {
  readonly #pinned: KnownHead;
  /** Ascending by height, as heads are accepted. */
  readonly #heads: KnownHead[] = [];
  #bytes = 0;

  constructor(pinned: KnownHead) {
    this.#pinned = pinned;
  }

  add(head: KnownHead): void {
    this.#heads.push(head);
    this.#bytes += sizeOf(head);
    while (this.#heads.length > MAX_HEADS || (this.#bytes > MAX_BYTES && this.#heads.length > 1)) {
      const oldest = this.#heads.shift();
      if (oldest) this.#bytes -= sizeOf(oldest);
    }
  }

  /** The newest known header up to this height. */
  upTo(height: bigint): KnownHead | undefined {
    for (let at = this.#heads.length - 1; at >= 0; at--) {
      const head = this.#heads[at];
      if (head && head.height <= height) return head;
    }
    return this.#pinned.height <= height ? this.#pinned : undefined;
  }
}

const sizeOf = ({ signed }: KnownHead) => signed?.length ?? 0;
