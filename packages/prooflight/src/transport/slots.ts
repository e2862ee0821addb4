/** The concurrency limit of each server. */

import { refuse } from "../error.js";
import { abortReason, throwIfAborted } from "./abort.js";

/** Far below the connections that a node accepts. */
const MAX_CONCURRENT_REQUESTS = 256;

/** The slots for concurrent requests to one server, granted in the order in which they were asked for. */
export class RequestSlots {
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #answers = 0;

  /**
   * Waits for a free slot.
   *
   * Throws `request_timeout` once the server has answered no question for `timeout` milliseconds, so that no caller
   * waits longer for a silent server. Throws the reason of `signal` if that is aborted.
   */
  async take(timeout: number, host: string, signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    if (this.#taken < MAX_CONCURRENT_REQUESTS) {
      this.#taken += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      let seen = this.#answers;
      const end = () => {
        clearInterval(timer);
        signal?.removeEventListener("abort", abort);
      };
      const proceed = () => {
        end();
        resolve();
      };
      const fail = (reason: Error) => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1);
        end();
        reject(reason);
      };
      const abort = () => {
        fail((signal && abortReason(signal)) as Error);
      };
      const timer = setInterval(() => {
        if (this.#answers === seen) fail(silentRefusal(timeout, host));
        seen = this.#answers;
      }, timeout);
      signal?.addEventListener("abort", abort);
      this.#waiting.push(proceed);
    });
  }

  /** Frees a slot for the caller that has waited longest. `answered` says whether the server answered the question. */
  free(answered: boolean): void {
    if (answered) this.#answers += 1;
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}

const silentRefusal = (timeout: number, host: string) =>
  refuse("request_timeout", `an answer of ${host} within ${timeout} ms`, "none to any question");
