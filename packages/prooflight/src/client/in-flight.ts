interface Waiting {
  size: number;
  start: () => void;
}

/** Bytes of replies that are being read or used: no more than there is room for, however much is asked at once. */
export class InFlight {
  readonly #room: number;
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  constructor(room: number) {
    this.#room = room;
  }

  /**
   * Takes room for a reply of so many bytes, and waits in line until there is some; gives what gives it back.
   *
   * One that is larger than all the room waits until nothing else is read. Throws the reason of `signal`.
   */
  async take(bytes: number, signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    const size = Math.min(bytes, this.#room);
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#next();
        reject(signal?.reason as Error);
      };
      const start = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const waiting = { size, start };
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(waiting);
      this.#next();
    });
    return () => {
      this.#taken -= size;
      this.#next();
    };
  }

  #next(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (!first || this.#taken + first.size > this.#room) return;
      this.#waiting.shift();
      this.#taken += first.size;
      first.start();
    }
  }
}
