/** Several servers for one chain: the next one is asked when one fails or lies. */

import { describe, refuse, VerifyError } from "../error.js";
import type { Code } from "../registry.js";
import { notify } from "./callback.js";
import { call, type Transport } from "./rpc.js";

/** A server, asked one call at a time. */
export interface Server {
  /** Where it is. */
  readonly url: URL;
  /** Calls a method; throws as `call` of `rpc.ts`. */
  call(method: string, params: object): Promise<unknown>;
}

/** What one server did when it was asked. */
export interface Failure {
  /** The server's URL, as it was given. */
  url: string;
  /** Why its answer was not taken. */
  error: VerifyError;
}

/** Refusals that another server may not cause; the others are the caller's fault, or ours. */
const OTHERS_MAY_DO_BETTER: ReadonlySet<Code> = new Set([
  "malformed",
  "mismatch",
  "untrusted",
  "unavailable",
]);

export class Servers {
  readonly #transport: Transport;
  readonly #urls: readonly URL[];
  readonly #onFailure: (failure: Failure) => void;
  /** The one that answered last. */
  #preferred = 0;

  /** Throws `invalid_argument` unless `urls` are http(s) URLs, at least one. */
  constructor(
    urls: readonly unknown[],
    transport: Transport,
    onFailure: (failure: Failure) => void,
  ) {
    if (urls.length === 0) throw refuse("invalid_argument", "at least one URL of a server", "none");
    this.#urls = urls.map(parse);
    this.#transport = transport;
    this.#onFailure = onFailure;
  }

  /** The server that is asked first. */
  get preferred(): URL {
    return this.#url(this.#preferred);
  }

  /**
   * Runs `ask` with one server after the other until one gives what is asked for.
   *
   * If none does, throws the error of the first one that lied, else of the first one; with several
   * servers its `cause` is an `AggregateError` of what each did.
   */
  async ask<T>(ask: (server: Server) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const first = this.#preferred;
    const errors: VerifyError[] = [];
    for (let tried = 0; tried < this.#urls.length; tried++) {
      const index = (first + tried) % this.#urls.length;
      const url = this.#url(index);
      try {
        const answer = await ask({
          url,
          call: (method, params) => call(this.#transport, url, method, params, signal),
        });
        this.#preferred = index;
        return answer;
      } catch (error) {
        // Whatever an application gives as its reason is not a server's failure.
        signal?.throwIfAborted();
        if (!(error instanceof VerifyError) || !OTHERS_MAY_DO_BETTER.has(error.code)) throw error;
        notify(this.#onFailure, { url: url.href, error });
        // Two signed heads of one height are not this server's doing, and no other can mend them.
        if (error.reason === "equivocation") throw error;
        errors.push(error);
      }
    }
    throw worst(errors);
  }

  #url(index: number): URL {
    const url = this.#urls[index];
    if (!url) throw refuse("bug", "a server", "none");
    return url;
  }
}

function worst(errors: VerifyError[]): VerifyError {
  const [first] = errors;
  const told = errors.find(({ code }) => code !== "unavailable") ?? first;
  if (!told) throw refuse("bug", "a server that failed", "none");
  if (errors.length === 1) return told;
  const cause = new AggregateError(errors, "no server gave an answer that verifies");
  return new VerifyError(told.toJSON(), { cause });
}

function parse(given: unknown): URL {
  const { location } = globalThis as { location?: Location };
  if (typeof given === "string" || given instanceof URL) {
    const base = location?.protocol.startsWith("http") ? location.href : undefined;
    const url = URL.canParse(given, base) ? new URL(given, base) : undefined;
    if (url && /^https?:$/.test(url.protocol)) return url;
  }
  const found = given instanceof URL ? given.href : describe(given);
  throw refuse("invalid_argument", "an http or https URL of a server", found);
}
