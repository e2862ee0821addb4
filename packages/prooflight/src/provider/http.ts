import { Arguments, invalid } from "../arguments.js";
import { call, type Transport } from "../client/rpc.js";
import { describe } from "../error.js";
import type { Eip1193Provider } from "./request.js";

/** How {@link httpProvider} asks. */
export interface HttpOptions {
  /** How long a request may take, in milliseconds. Default 10,000. */
  timeout?: number | undefined;
  /** The most bytes of a reply. Default 40 MiB. */
  maxReplyBytes?: number | undefined;
  /** How requests are sent. Default: the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
}

/**
 * A provider of EIP-1193 over HTTP, for `createProvider`: it bounds time and size, and believes
 * whatever the server says.
 *
 * Throws `invalid_argument` if the URL is not one of http or https; its requests throw a
 * `VerifyError` with code `unavailable`.
 */
export function httpProvider(url: string | URL, options: HttpOptions = {}): Eip1193Provider {
  const given = new Arguments(undefined, options, ["timeout", "maxReplyBytes", "fetch"]);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalid(undefined, "url", "an http or https URL", describe(String(url)));
  }
  const parsed = new URL(url);
  const transport: Transport = {
    fetch: (given.unchecked("fetch") as typeof fetch | undefined) ?? ((...to) => fetch(...to)),
    timeout: Math.min(given.optionalU32("timeout") ?? 10_000, 2 ** 31 - 1),
    maxReplyBytes: given.optionalU32("maxReplyBytes") ?? 40 * 1024 * 1024,
  };
  return {
    request: ({ method, params }) => call(transport, parsed, method, params ?? [], undefined),
  };
}
