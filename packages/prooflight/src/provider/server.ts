/** The provider that is checked: it may fail, lie, or never answer. */

import { describe, refuse, VerifyError } from "../error.js";
import type { Eip1193Provider } from "./request.js";

export class Server {
  readonly #provider: Eip1193Provider;
  readonly #timeout: number;

  constructor(provider: Eip1193Provider, timeout: number) {
    this.#provider = provider;
    this.#timeout = timeout;
  }

  /** Asks; throws `unavailable` if there is no answer in time. */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const expected = `an answer to ${method} within ${this.#timeout} ms`;
        reject(refuse("request_timeout", expected, "none yet", { scheme: "mpt" }));
      }, this.#timeout);
    });
    try {
      return await Promise.race([this.#provider.request({ method, params }), late]);
    } catch (cause) {
      if (cause instanceof VerifyError) throw cause;
      const found = cause instanceof Error ? cause.message : describe(cause);
      throw refuse("server_error", `an answer to ${method}`, found, { scheme: "mpt", cause });
    } finally {
      clearTimeout(timer);
    }
  }
}
