/** What a provider keeps for its callers between requests. */

import { refuse } from "../../error.js";
import { ProviderError } from "../error.js";
import { quantity } from "../request.js";

/** The most open filters of a provider, and the most open subscriptions. */
const MAX_OPEN_ITEMS = 64;

/** Open filters, or open subscriptions, by their ids; at most {@link MAX_OPEN_ITEMS}. */
export class OpenSet<T> {
  readonly #items = new Map<string, T>();
  readonly #kind: string;
  readonly #endMethod: string;
  /** The number of items that are being opened. */
  #opening = 0;
  /** The last id. The first is random: a program that outlives a provider must not poll an item of the next one. */
  #last = BigInt(Math.floor(Math.random() * 2 ** 53));

  /** For messages: `kind` names the items, and `endMethod` the method that ends one. */
  constructor(kind: string, endMethod: string) {
    this.#kind = kind;
    this.#endMethod = endMethod;
  }

  /**
   * Opens an item; returns its id.
   *
   * Throws `unavailable` / `busy`, with JSON-RPC's code for a limit, before `open` is called if too many are open.
   */
  async open(open: (id: string) => Promise<T>): Promise<string> {
    if (this.#items.size + this.#opening >= MAX_OPEN_ITEMS) {
      const expected = `at most ${MAX_OPEN_ITEMS} open ${this.#kind}, which ${this.#endMethod} ends`;
      throw new ProviderError(refuse("busy", expected, "one more"), -32005);
    }
    const id = quantity(++this.#last);
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

  /** Removes an item; returns the item if it was open. */
  remove(id: string): T | undefined {
    const item = this.#items.get(id);
    this.#items.delete(id);
    return item;
  }

  [Symbol.iterator](): IterableIterator<[string, T]> {
    return this.#items[Symbol.iterator]();
  }
}
