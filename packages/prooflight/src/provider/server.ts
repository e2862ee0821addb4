/** The provider that is checked: it may fail, lie, or never answer. */

import { describe, refuse, VerifyError } from "../error.js";
import { HandedOnError } from "./error.js";
import { copyOf, type Eip1193Provider, type Request } from "./request.js";

export class Server {
  readonly #provider: Eip1193Provider;
  readonly #timeout: number;

  constructor(provider: Eip1193Provider, timeout: number) {
    this.#provider = provider;
    this.#timeout = timeout;
  }

  /** Asks for what will be verified; throws `unavailable` if there is no answer in time. */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#withTimeout(method, this.#ask({ method, params: [...params] }));
    } catch (error) {
      throw failureOf(method, error);
    }
  }

  /**
   * Asks for what will not be; the server's own errors are kept, as a `HandedOnError`.
   *
   * Where a person decides, it takes as long as it takes.
   */
  async handOn(request: Request, person: boolean): Promise<unknown> {
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

/** The most characters of a server's message. */
const MESSAGE = 1000;

/** An error with a code, as EIP-1193 and JSON-RPC have them; undefined if it is none. */
function errorOf(error: unknown): HandedOnError | undefined {
  try {
    // An error of `httpProvider` has what the server said as its cause.
    const said: unknown = error instanceof VerifyError ? error.cause : error;
    const { code, message, data } = said as { code?: unknown; message?: unknown; data?: unknown };
    if (typeof code !== "number" || !Number.isSafeInteger(code)) return undefined;
    const text = typeof message === "string" ? message.slice(0, MESSAGE) : "";
    const copy = data === undefined ? undefined : copyOf(data);
    return new HandedOnError(code, text, copy, { cause: error });
  } catch {
    return undefined; // Reading it runs code of the provider.
  }
}

function failureOf(method: string, error: unknown): VerifyError {
  let found = "an error that cannot be read";
  try {
    if (error instanceof VerifyError && error.code === "unavailable") return error;
    found = error instanceof Error ? error.message.slice(0, MESSAGE) : describe(error);
  } catch {
    // Reading it runs code of the provider.
  }
  return refuse("server_error", `an answer to ${method}`, found, { scheme: "mpt", cause: error });
}
