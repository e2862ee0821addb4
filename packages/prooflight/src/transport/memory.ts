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
  resume: () => void;
}

/**
 * Memory for replies: shared budgets, and in addition one reply of any size.
 *
 * A reply takes memory as its bytes arrive, so a silent server takes none. The first parts have their own budget, so
 * a short reply does not wait for long ones. When a budget is exhausted, one reply becomes exempt: until it is
 * released, it counts against no budget. Otherwise half-received replies could all wait for each other.
 */
export class ReplyMemory {
  readonly #budget: MemoryBudget;
  readonly #taken: MemoryBudget = { firstParts: 0, rest: 0 };
  readonly #pending: PendingGrowth[] = [];
  /** The reply that counts against no budget. */
  #exempt: Reply | undefined;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Begins a reply, which holds nothing yet. */
  open(): Reservation {
    const reply: Reply = { bytes: 0 };
    return {
      grow: (bytes) =>
        new Promise((resume) => {
          this.#pending.push({ reply, bytes, resume });
          this.#next();
        }),
      release: () => {
        this.#release(reply);
      },
    };
  }

  /** Grants pending growths in order, as far as the budgets allow. */
  #next(): void {
    for (const pending of [...this.#pending]) {
      const { reply, bytes, resume } = pending;
      if (!this.#fits(reply, bytes)) {
        if (this.#exempt) continue;
        this.#take(reply, 0);
        this.#exempt = reply;
      }
      this.#take(reply, bytes);
      this.#pending.splice(this.#pending.indexOf(pending), 1);
      resume();
    }
  }

  #fits(reply: Reply, bytes: number): boolean {
    if (reply === this.#exempt) return true;
    const more = growth(reply.bytes, bytes);
    return (
      this.#taken.firstParts + more.firstParts <= this.#budget.firstParts &&
      this.#taken.rest + more.rest <= this.#budget.rest
    );
  }

  #take(reply: Reply, bytes: number): void {
    if (reply !== this.#exempt) {
      const more = growth(reply.bytes, bytes);
      this.#taken.firstParts += more.firstParts;
      this.#taken.rest += more.rest;
    }
    reply.bytes = bytes;
  }

  #release(reply: Reply): void {
    for (const pending of this.#pending.filter((pending) => pending.reply === reply)) {
      this.#pending.splice(this.#pending.indexOf(pending), 1);
      pending.resume();
    }
    this.#take(reply, 0);
    if (reply === this.#exempt) this.#exempt = undefined;
    this.#next();
  }
}

/** The memory that a reply takes when it grows from one length to another. */
function growth(from: number, to: number): MemoryBudget {
  const [before, after] = [split(from), split(to)];
  return { firstParts: after.firstParts - before.firstParts, rest: after.rest - before.rest };
}

function split(bytes: number): MemoryBudget {
  const firstParts = Math.min(bytes, FIRST_PART_BYTES);
  return { firstParts, rest: bytes - firstParts };
}
