/** What calls leave for later ones: proven states, codes, what calls read, and outcomes. */

import type { Bytes, Hex } from "../../bytes.js";
import type { ProvenState, StateKeys } from "./proven-state.js";

/** The most bytes of all codes that are kept. */
const MAX_CODE_BYTES = 32 * 1024 * 1024;

/** The most states that are kept, and the most bytes of one of them. */
const MAX_STATES = 2;
const MAX_STATE_BYTES = 8 * 1024 * 1024;

/** The most calls whose reads, or whose outcomes, are kept. */
const MAX_CALLS = 256;

/** Values by key, of which the least recently used are removed. */
export class RecentMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #most: number;
  readonly #sizeOf: (value: V) => number;
  #size = 0;

  /** `most` is the limit of all sizes together. */
  constructor(most: number, sizeOf: (value: V) => number = () => 1) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#remove(key);
    this.#entries.set(key, value);
    this.#size += this.#sizeOf(value);
    while (this.#size > this.#most) {
      const [oldest] = this.#entries.keys();
      if (oldest === undefined) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#size -= this.#sizeOf(value);
  }
}

interface SharedState {
  state: ProvenState;
  /** The calls that use it. */
  users: number;
}

/** The proven states of the blocks that were asked about last. */
export class ProvenStates {
  readonly #states = new Map<Hex, SharedState>();

  /** Runs a function with the state of a block, which `open` begins. */
  async use<T>(
    hash: Hex,
    open: () => ProvenState,
    run: (state: ProvenState) => Promise<T>,
  ): Promise<T> {
    let shared = this.#states.get(hash);
    if (!shared?.state.exists) shared = { state: open(), users: 0 };
    this.#states.delete(hash);
    this.#states.set(hash, shared);
    shared.users += 1;
    try {
      return await run(shared.state);
    } finally {
      shared.users -= 1;
      this.#tidy();
    }
  }

  /** Frees states that nobody uses: old ones, and large ones. */
  #tidy(): void {
    let kept = 0;
    for (const [hash, { state, users }] of [...this.#states].reverse()) {
      const isKept = state.exists && kept < MAX_STATES && state.bytes <= MAX_STATE_BYTES;
      if (isKept) kept += 1;
      if (isKept || users > 0) continue;
      this.#states.delete(hash);
      state.free();
    }
  }
}

/** What calls leave for later ones. */
export class CallCaches {
  readonly states = new ProvenStates();
  /** Codes by their hashes. */
  readonly codes = new RecentMap<Bytes>(MAX_CODE_BYTES, (code) => code.length);
  /** The hash of the code that an account had last. A wrong one costs a request. */
  readonly codeHashes = new RecentMap<Hex>(16 * MAX_CALLS);
  /** What the same call read last, in whatever block. */
  readonly reads = new RecentMap<StateKeys>(MAX_CALLS);
  /** The outcomes of calls, by the block and the request. */
  readonly outcomes = new RecentMap<object>(MAX_CALLS);
}
