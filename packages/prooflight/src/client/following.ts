/**
 * An async generator that can be ended while `next()` is pending. The `return()` of an ordinary one would wait too.
 *
 * Once it is ended by `return`, `throw` or {@link EndableGenerator.end}, a pending `next()` and all later ones resolve as
 * done.
 */
export class EndableGenerator<T> implements AsyncGenerator<T, void, undefined> {
  readonly #inner: AsyncGenerator<T, void, undefined>;
  readonly #stop = new AbortController();
  readonly #onEnd: (ended: EndableGenerator<T>) => void;

  /** `follow` must end soon after its signal is aborted. */
  constructor(
    follow: (signal: AbortSignal) => AsyncGenerator<T, void, undefined>,
    onEnd: (ended: EndableGenerator<T>) => void,
  ) {
    this.#inner = follow(this.#stop.signal);
    this.#onEnd = onEnd;
  }

  /** Ends it. */
  end(): void {
    this.#stop.abort();
    this.#onEnd(this);
  }

  async next(): Promise<IteratorResult<T, void>> {
    if (this.#ended()) return DONE;
    try {
      const result = await this.#inner.next();
      if (result.done) this.#onEnd(this);
      return this.#ended() ? DONE : result;
    } catch (error) {
      if (this.#ended()) return DONE;
      this.#onEnd(this);
      throw error;
    }
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.end();
    await this.#inner.return();
    return DONE;
  }

  async throw(error: unknown): Promise<IteratorResult<T, void>> {
    await this.return();
    throw error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #ended(): boolean {
    return this.#stop.signal.aborted;
  }
}

const DONE = { done: true, value: undefined } as const;
