/** What a provider keeps for its callers between requests. */

import { refuse } from "../../error.js";
import { ProviderError } from "../error.js";
import { quantity } from "../request.js";

/** The most filters, and the most subscriptions, that a provider has open. */
const MAX_OPEN = 64;

/** Open filters, or open subscriptions, by their ids; at most {@link MAX_OPEN}. */
export class OpenSet<T> {
  readonly #items = new Map<string, T>();
  readonly #kind: string;
  readonly #end: string;
  /** Those whose servers are still asked. */
  #opening = 0;
  #count = 0n;

  /** `kind` names them and `end` the method that ends one, both for messages. */
  constructor(kind: string, end: string) {
    this.#kind = kind;
    this.#end = end;
  }

  /**
   * Opens one; returns its id.
   *
   * Throws `unavailable` / `busy`, with JSON-RPC's code for a limit, before `open` is called if too many are open.
   */
  async open(open: (id: string) => Promise<T>): Promise<string> {
    if (this.#items.size + this.#opening >= MAX_OPEN) {
      const expected = `at most ${MAX_OPEN} open ${this.#kind}, which ${this.#end} ends`;
      throw new ProviderError(refuse("busy", expected, "one more"), -32005);
    }
    const id = quantity(++this.#count);
    this.#opening += 1;
    try {
      this.#items.set(id, await open(id));
    } finally {
      this.#opening -= 1;
    }
    return id;
  }

  get(id: string): T | undefined {
    return this.#items.get(id);
  }

  /** Removes one; returns it if it was open. */
  remove(id: string): T | undefined {
    const item = this.#items.get(id);
    this.#items.delete(id);
    return item;
  }

  [Symbol.iterator](): IterableIterator<[string, T]> {
    return this.#items[Symbol.iterator]();
  }
}
