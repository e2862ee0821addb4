/** What calls leave for later ones: proven states, codes, what calls read, and outcomes. */

import type { Bytes, Hex } from "../../bytes.js";
import type { ProvenState, StateKeys } from "./proven-state.js";

/** The most bytes of all codes that are kept. */
const MAX_CODE_BYTES = 32 * 1024 * 1024;

/** The most states that are kept, and the most bytes of one of them. */
const MAX_STATES = 2;
const MAX_STATE_BYTES = 8 * 1024 * 1024;

/** The most calls whose outcomes are kept. */
const MAX_CALLS = 256;

/** The most accounts, slots and codes of all reads that are kept: some ten megabytes. */
const MAX_READ_KEYS = 64 * 1024;

/** The most of them that a call is expected to share with another one of the same function. */
const MAX_SHARED_KEYS = 64;

/** Values by key, of which the least recently used are removed. */
export class RecentMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #most: number;
  readonly #sizeOf: (value: V, key: string) => number;
  #size = 0;

  /** `most` is the limit of all sizes together. */
  constructor(most: number, sizeOf: (value: V, key: string) => number = () => 1) {
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
    this.#size += this.#sizeOf(value, key);
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
    this.#size -= this.#sizeOf(value, key);
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

/** What a call of a function read last, and what calls of it with other arguments read too. */
interface FunctionReads {
  request: string;
  last: StateKeys;
  shared: StateKeys;
}

/**
 * What calls read, in whatever block.
 *
 * It says what a call may read in another block, and decides nothing: all of it is proven again.
 */
export class ReadMemory {
  readonly #requests = new RecentMap<StateKeys>(
    MAX_READ_KEYS,
    (reads, request) => sizeOf(reads) + sizeOfText(request),
  );
  readonly #functions = new RecentMap<FunctionReads>(
    MAX_READ_KEYS,
    ({ request, last, shared }) => sizeOf(last) + sizeOf(shared) + sizeOfText(request),
  );

  /** What a request read last. */
  ofRequest(request: string): StateKeys | undefined {
    return this.#requests.get(request);
  }

  /** What the last calls of a function read, whatever their arguments. */
  ofFunction(name: string): StateKeys | undefined {
    return this.#functions.get(name)?.shared;
  }

  /** Keeps what a request read; `name` is that of its function, if it calls one. */
  add(request: string, name: string | undefined, reads: StateKeys): void {
    this.#requests.set(request, reads);
    if (name === undefined) return;
    const before = this.#functions.get(name);
    // Of one call alone, it is not known what depends on its arguments.
    let shared = sizeOf(reads) <= MAX_SHARED_KEYS ? reads : NOTHING;
    if (before) shared = before.request === request ? before.shared : sharedBy(before.last, reads);
    this.#functions.set(name, { request, last: reads, shared });
  }
}

const NOTHING: StateKeys = { proofs: new Map(), codes: new Map(), ancestors: [] };

/** The number of accounts, slots and codes; at least 1. */
function sizeOf({ proofs, codes }: StateKeys): number {
  return [...proofs.values()].reduce((sum, slots) => sum + 1 + slots.size, 1 + codes.size);
}

/** The number of keys that take as much memory as a text. */
const sizeOfText = ({ length }: string) => Math.ceil(length / 64);

/** The accounts, slots and codes that both have. */
function sharedBy(one: StateKeys, other: StateKeys): StateKeys {
  const proofs = [...one.proofs].flatMap(([address, slots]): [Hex, Set<Hex>][] => {
    const others = other.proofs.get(address);
    return others ? [[address, new Set([...slots].filter((slot) => others.has(slot)))]] : [];
  });
  const codes = [...one.codes].filter(([hash]) => other.codes.has(hash));
  return { proofs: new Map(proofs), codes: new Map(codes), ancestors: [] };
}

/** What calls leave for later ones. */
export class CallCaches {
  readonly states = new ProvenStates();
  /** Codes by their hashes. */
  readonly codes = new RecentMap<Bytes>(MAX_CODE_BYTES, (code) => code.length);
  /** The hash of the code that an account had last. A wrong one costs a request. */
  readonly codeHashes = new RecentMap<Hex>(16 * MAX_CALLS);
  readonly reads = new ReadMemory();
  /** The outcomes of calls, by the block and the request. */
  readonly outcomes = new RecentMap<object>(MAX_CALLS);
}
