/** Limits the memory of a client's replies, however many questions are asked concurrently. */

/** The length of a reply's first part, for which there is a separate budget. Most replies are shorter. */
const FIRST_PART_BYTES = 256 * 1024;

/** Byte budgets: for the first parts of replies, and for the rest of them. */
export interface MemoryBudget {
  firstParts: number;
  rest: number;
}

/** The memory held by one reply. */
export interface Reservation {
  /** Waits until the reply may take this many bytes. */
  grow: (bytes: number) => Promise<void>;
  /** Frees all its bytes. A pending `grow` resolves, after which no more may be read. */
  release: () => void;
}

interface Reply {
  bytes: number;
}

interface PendingGrowth {
  reply: Reply;
  bytes: number;
  go: () => void;
}

/**
 * Memory for replies: a shared room, and in addition one reply of any size.
 *
 * A reply takes room as its bytes arrive, so a silent server takes none. Beginnings have their own room, so a
 * short reply does not wait for long ones. Where the room is full, one reply is favoured: until it is released,
 * it grows outside the room. Otherwise half-received replies could all wait for each other.
 */
export class ReplyMemory {
  readonly #budget: MemoryBudget;
  readonly #taken: MemoryBudget = { firstParts: 0, rest: 0 };
  readonly #waiting: PendingGrowth[] = [];
  /** The reply that is outside the room. */
  #favoured: Reply | undefined;

  constructor(room: MemoryBudget) {
    this.#budget = room;
  }

  /** Begins a reply, which holds nothing yet. */
  open(): Reservation {
    const reply: Reply = { bytes: 0 };
    return {
      grow: (bytes) =>
        new Promise((go) => {
          this.#waiting.push({ reply, bytes, go });
          this.#next();
        }),
      release: () => {
        this.#release(reply);
      },
    };
  }

  /** Grants requests in order, as far as there is room. */
  #next(): void {
    for (const waiting of [...this.#waiting]) {
      const { reply, bytes, go } = waiting;
      if (!this.#fits(reply, bytes)) {
        if (this.#favoured) continue;
        this.#take(reply, 0);
        this.#favoured = reply;
      }
      this.#take(reply, bytes);
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      go();
    }
  }

  #fits(reply: Reply, bytes: number): boolean {
    if (reply === this.#favoured) return true;
    const more = growth(reply.bytes, bytes);
    return (
      this.#taken.firstParts + more.firstParts <= this.#budget.firstParts &&
      this.#taken.rest + more.rest <= this.#budget.rest
    );
  }

  #take(reply: Reply, bytes: number): void {
    if (reply !== this.#favoured) {
      const more = growth(reply.bytes, bytes);
      this.#taken.firstParts += more.firstParts;
      this.#taken.rest += more.rest;
    }
    reply.bytes = bytes;
  }

  #release(reply: Reply): void {
    for (const waiting of this.#waiting.filter((waiting) => waiting.reply === reply)) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.go();
    }
    this.#take(reply, 0);
    if (reply === this.#favoured) this.#favoured = undefined;
    this.#next();
  }
}

/** The room that a reply takes when it grows from one length to another. */
function growth(from: number, to: number): MemoryBudget {
  const [before, after] = [split(from), split(to)];
  return { firstParts: after.firstParts - before.firstParts, rest: after.rest - before.rest };
}

function split(bytes: number): MemoryBudget {
  const firstParts = Math.min(bytes, FIRST_PART_BYTES);
  return { firstParts: firstParts, rest: bytes - firstParts };
}
