// Bookkeeping of attempts, so that late results of an earlier one are ignored.

/** One attempt to follow the chain, which ends when the next one begins. */
export class Round {
  /** Resolves once its outcome is known. */
  readonly settled: Promise<void>;
  #settle: () => void = () => undefined;
  readonly #stop = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether it has read blocks. */
  readBlocks = false;
  #reading = false;
  #readAgain = false;

  constructor() {
    this.settled = new Promise((resolve) => (this.#settle = resolve));
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get ended(): boolean {
    return this.signal.aborted;
  }

  onEnd(listener: () => void): void {
    this.signal.addEventListener("abort", listener);
  }

  /** Returns false if another caller is reading already, which will then read once more. */
  beginReading(): boolean {
    this.#readAgain = this.#reading;
    if (this.#reading || this.ended) return false;
    return (this.#reading = true);
  }

  /** Returns true if another read is needed. */
  endReading(): boolean {
    this.#reading = false;
    return this.#readAgain && !this.ended;
  }

  succeeded(): void {
    clearTimeout(this.#timer);
    this.#settle();
  }

  failed(again: number | undefined, begin: () => void): void {
    clearTimeout(this.#timer);
    if (again !== undefined) this.#timer = setTimeout(begin, again);
    this.#settle();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
    this.#settle();
  }
}
