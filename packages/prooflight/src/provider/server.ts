/** The untrusted provider: it may fail, lie, or never answer. */

import { describe, refuse, VerifyError } from "../error.js";
import { ForwardedError } from "./error.js";
import { copyOf, type Eip1193Provider, type Request } from "./request.js";

export class WalletServer {
  readonly #provider: Eip1193Provider;
  readonly #timeout: number;

  constructor(provider: Eip1193Provider, timeout: number) {
    this.#provider = provider;
    this.#timeout = timeout;
  }

  /** Asks for an answer that will be verified; throws `unavailable` if none comes in time. */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#withTimeout(method, this.#ask({ method, params: [...params] }));
    } catch (error) {
      throw failureOf(method, error);
    }
  }

  /**
   * Asks for an answer that will not be verified. The server's errors become a `ForwardedError`.
   *
   * There is no timeout if the user decides about the request.
   */
  async forward(request: Request, person: boolean): Promise<unknown> {
    const { method } = request;
    try {
      const answer = this.#ask(request);
      return await (person ? answer : this.#withTimeout(method, answer));
    } catch (error) {
      throw errorOf(error) ?? failureOf(method, error);
    }
  }

  async #ask(request: Request): Promise<unknown> {
    return this.#provider.request(request);
  }

  async #withTimeout(method: string, answer: Promise<unknown>): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const expected = `an answer to ${method} within ${this.#timeout} ms`;
        reject(refuse("request_timeout", expected, "none yet", { scheme: "mpt" }));
      }, this.#timeout);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The most characters that are kept of a server's message. */
const MAX_MESSAGE_CHARACTERS = 1000;

/** Reads an error with a code, as in EIP-1193 and JSON-RPC; undefined if it is not one. */
export function errorOf(error: unknown): ForwardedError | undefined {
  try {
    // The cause of an error of `httpProvider` is the server's own error.
    const given: unknown = error instanceof VerifyError ? error.cause : error;
    const { code, message, data } = given as { code?: unknown; message?: unknown; data?: unknown };
    if (typeof code !== "number" || !Number.isSafeInteger(code)) return undefined;
    const text = typeof message === "string" ? message.slice(0, MAX_MESSAGE_CHARACTERS) : "";
    const copy = data === undefined ? undefined : copyOf(data);
    return new ForwardedError(code, text, copy, { cause: error });
  } catch {
    return undefined; // A getter of the provider's threw.
  }
}

function failureOf(method: string, error: unknown): VerifyError {
  let found = "an error that cannot be read";
  try {
    if (error instanceof VerifyError && error.code === "unavailable") return error;
    found =
      error instanceof Error ? error.message.slice(0, MAX_MESSAGE_CHARACTERS) : describe(error);
  } catch {
    // A getter of the provider's threw.
  }
  return refuse("server_error", `an answer to ${method}`, found, { scheme: "mpt", cause: error });
}
