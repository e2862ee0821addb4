/** The bounds on requests that are at work, or wait. */

/** Too many requests wait already. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

/** Lets a bounded number of requests work at once, and a bounded number wait for that. */
export class WorkQueue {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
  }

  /** Runs `work` when it is its turn; throws {@link QueueFull}, or the reason of `signal` if nobody waits any more. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    await this.#turn();
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < this.#maxRunning) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= this.#maxWaiting) {
      throw new QueueFull(`at most ${this.#maxWaiting} requests may wait`);
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

/** The time of waiting for the first head is over. */
export class NoHead extends Error {
  override readonly name = "NoHead";
}

/** Lets requests wait for the first head: a bounded number, for a bounded time. */
export class StartGate {
  readonly #maxWaiting: number;
  readonly #milliseconds: number;
  readonly #waiting = new Set<() => void>();
  #isOpen = false;

  constructor(maxWaiting = 32, milliseconds = 30_000) {
    this.#maxWaiting = maxWaiting;
    this.#milliseconds = milliseconds;
  }

  /** Lets all requests pass, from now on. */
  open(): void {
    this.#isOpen = true;
    for (const proceed of this.#waiting) proceed();
    this.#waiting.clear();
  }

  /** Waits until the gate is open; throws {@link QueueFull} or {@link NoHead}. */
  async pass(): Promise<void> {
    if (this.#isOpen) return;
    if (this.#waiting.size >= this.#maxWaiting) {
      throw new QueueFull(`at most ${this.#maxWaiting} requests may wait for the first head`);
    }
    await new Promise<void>((resolve, reject) => {
      const proceed = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(proceed);
        reject(new NoHead(`no verified head after ${this.#milliseconds / 1000} s of waiting`));
      }, this.#milliseconds);
      this.#waiting.add(proceed);
    });
  }
}
