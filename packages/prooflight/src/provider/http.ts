import { Arguments, invalid } from "../arguments.js";
import { mostReplyBytes } from "../mpt/response.js";
import { Address, foundInstead } from "../transport/address.js";
import { MAX_TIMER_MS, readTransport } from "../transport/options.js";
import { call } from "../transport/rpc.js";
import { needsUser } from "./forwardable.js";
import { reading } from "./options.js";
import { type Eip1193Provider, requestOf } from "./request.js";

/** Options of {@link httpProvider}. */
export interface HttpOptions {
  /** The time limit of a request in milliseconds, unless the user decides about it. Default 10,000. */
  timeout?: number | undefined;
  /** The most bytes of a reply. Default 40 MiB, or less if answers to the method are shorter. */
  maxReplyBytes?: number | undefined;
  /** Sends requests. Default: the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
}

/**
 * Creates a provider of EIP-1193 over HTTP, for `createProvider`, which bounds the time and size of replies and
 * verifies nothing.
 *
 * Throws `invalid_input` / `invalid_argument` unless the URL is http or https. Requests throw `unavailable`; if the
 * server answered with an error, that error is the `cause`.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/check-an-ethereum-rpc.md | Check an Ethereum RPC endpoint}
 *
 * @example
 * ```ts
 * import { createProvider, httpProvider } from "prooflight/provider";
 *
 * const provider = createProvider({
 *   provider: httpProvider("https://rpc.example", { timeout: 5_000 }),
 *   chainId: 1,
 *   trust: (block) => ownNode.block(block), // never from rpc.example
 * });
 * ```
 */
export function httpProvider(url: string | URL, options: HttpOptions = {}): Eip1193Provider {
  const [address, transport] = reading(() => {
    const given = new Arguments(undefined, options, ["timeout", "maxReplyBytes", "fetch"]);
    return [addressOf(url), readTransport(given)] as const;
  });
  return {
    async request(args) {
      const { method, params } = requestOf(args);
      const { timeout, maxReplyBytes } = transport;
      const bounded = {
        ...transport,
        fetch: address.fetchBy(transport.fetch),
        timeout: needsUser(method) ? MAX_TIMER_MS : timeout,
        maxReplyBytes: Math.min(maxReplyBytes, mostReplyBytes(method, params) ?? maxReplyBytes),
      };
      try {
        return await call(bounded, address.url, method, params, undefined);
      } catch (error) {
        throw address.conceal(error);
      }
    },
  };
}

function addressOf(given: string | URL): Address {
  const address = Address.read(given);
  if (address) return address;
  throw invalid(undefined, "url", "an http or https URL", foundInstead(given));
}
