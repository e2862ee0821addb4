/** The transactions that a provider sent, for the nonces of the next ones. */

import type { Hex } from "../../bytes.js";
import type { SignedTransaction } from "../../ethereum/transactions.js";

/** The time for which a transaction may be pending, in milliseconds: geth keeps one that it cannot execute for 3 hours. */
const PENDING_LIFETIME_MS = 3n * 60n * 60n * 1000n;

/** The most transactions that are kept. The oldest are forgotten first. */
const MAX_SENT_TRANSACTIONS = 1024;

/** The number of pending transactions that nodes keep for one account. */
const MAX_PENDING_PER_ACCOUNT = 64n;

interface SentTransaction {
  from: Hex;
  nonce: bigint;
  since: bigint;
  accepted: boolean;
}

/** The transactions that a provider sent and that may still be pending. */
export class SentTransactions {
  readonly #now: () => bigint;
  /** By hash, the oldest first. */
  readonly #entries = new Map<Hex, SentTransaction>();

  /** `now` returns milliseconds. */
  constructor(now: () => bigint) {
    this.#now = now;
  }

  /** Keeps a transaction that a server accepted, or may have received before its reply was lost. */
  add({ hash, from, nonce }: SignedTransaction, accepted: boolean): void {
    const wasAccepted = this.#entries.get(hash)?.accepted ?? false;
    this.#entries.delete(hash);
    this.#entries.set(hash, { from, nonce, since: this.#now(), accepted: accepted || wasAccepted });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_SENT_TRANSACTIONS && oldest) this.#entries.delete(oldest);
  }

  /** Whether this provider has sent a transaction. */
  has(hash: Hex): boolean {
    this.#expire();
    return this.#entries.has(hash);
  }

  /** The nonce after the verified ones and those that the provider sent, except for nonces far ahead. */
  next(from: Hex, verified: bigint): bigint {
    this.#expire();
    let next = verified;
    for (const entry of this.#entries.values()) {
      const isPending = entry.nonce >= next && entry.nonce < verified + MAX_PENDING_PER_ACCOUNT;
      if (entry.from === from && entry.accepted && isPending) next = entry.nonce + 1n;
    }
    return next;
  }

  #expire(): void {
    const now = this.#now();
    for (const [hash, { since }] of this.#entries) {
      if (now - since > PENDING_LIFETIME_MS) this.#entries.delete(hash);
    }
  }
}
