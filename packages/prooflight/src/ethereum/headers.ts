/** Asks servers for the headers of several blocks. */

import { isRateLimit, isUnknownMethod } from "../client/failure.js";
import type { Server } from "../client/servers.js";
import { VerifyError } from "../error.js";
import { quantity } from "./json.js";

/** Asks for headers alone where a server has them: they take a tenth of the bytes of a block with hashes. */
export class Headers {
  /** The servers without `eth_getHeaderByNumber`. */
  readonly #without = new Set<string>();

  /** What a server says about the headers with these numbers, unverified. */
  async ask(server: Server, numbers: readonly bigint[]): Promise<unknown[]> {
    const all = (method: string, ...more: unknown[]) =>
      Promise.all(numbers.map((number) => server.call(method, [quantity(number), ...more])));
    if (!this.#without.has(server.name)) {
      try {
        return await all("eth_getHeaderByNumber");
      } catch (error) {
        const isError = error instanceof VerifyError && error.reason === "server_error";
        if (!isError || isRateLimit(error)) throw error;
        if (isUnknownMethod(error)) this.#without.add(server.name);
      }
    }
    return all("eth_getBlockByNumber", false);
  }
}
