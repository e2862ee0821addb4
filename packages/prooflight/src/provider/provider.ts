import { Arguments, invalid } from "../arguments.js";
import { describe, refuse } from "../error.js";
import { init } from "../wasm/hash.js";
import { toProviderError } from "./error.js";
import { type Context, METHODS } from "./methods.js";
import { type Eip1193Provider, listOf, type RequestArguments } from "./request.js";
import { Server } from "./server.js";
import type { Trust } from "./trust.js";

/**
 * What becomes of methods whose answers cannot be verified: `strict`, they are refused;
 * `if-possible`, the server's answer is handed on and `onUnverified` hears of it.
 */
export type Mode = "strict" | "if-possible";

/** What {@link createProvider} takes. */
export interface ProviderOptions {
  /** The provider that is asked, and not trusted: of a wallet, of a library, or `httpProvider(url)`. */
  provider: Eip1193Provider;
  /** The id of the chain, which `eth_chainId` answers. */
  chainId: bigint | number;
  /** Says which state is trusted. */
  trust: Trust;
  /** What becomes of other methods. Default `strict`. */
  mode?: Mode | undefined;
  /** Hears of every answer that was handed on without having been verified. */
  onUnverified?: ((request: RequestArguments) => void) | undefined;
  /** How long the server may take for an answer, in milliseconds. Default 10,000. */
  timeout?: number | undefined;
}

/** A provider of EIP-1193. It has no events of its own. */
export interface VerifyingProvider extends Eip1193Provider {
  /** Throws a `ProviderError` if there is no answer that verifies. */
  request(args: RequestArguments): Promise<unknown>;
  on(event: string, listener: (...args: unknown[]) => void): this;
  removeListener(event: string, listener: (...args: unknown[]) => void): this;
}

/**
 * A provider that answers balances, nonces, code, storage and proofs only once `eth_getProof` has
 * shown them in a state that the caller trusts; loads the WebAssembly if it is not loaded.
 *
 * For viem: `createPublicClient({ transport: custom(provider) })`; for ethers: `new
 * BrowserProvider(provider)`. Throws `invalid_argument` for wrong options. The documentation has a
 * table of the methods.
 */
export function createProvider(options: ProviderOptions): VerifyingProvider {
  const { context, mode, onUnverified } = read(options);
  const answer = async (args: RequestArguments): Promise<unknown> => {
    if (typeof args !== "object" || typeof args.method !== "string") {
      throw refuse("invalid_argument", "a request with a method", describe(args), {
        scheme: "mpt",
      });
    }
    const { method } = args;
    const known = METHODS.get(method);
    if (known) {
      await init();
      return known(context, listOf(args), method);
    }
    if (mode === "strict") {
      const expected = `one of ${[...METHODS.keys()].join(", ")}`;
      throw refuse("unverifiable_method", expected, method, { scheme: "mpt" });
    }
    const result = await context.server.request(method, listOf(args));
    onUnverified?.(args);
    return result;
  };
  const provider: VerifyingProvider = {
    async request(args) {
      try {
        return await answer(args);
      } catch (error) {
        throw toProviderError(error);
      }
    },
    on: () => provider,
    removeListener: () => provider,
  };
  return provider;
}

function read(options: ProviderOptions) {
  const given = new Arguments("mpt", options, [
    "provider",
    "chainId",
    "trust",
    "mode",
    "onUnverified",
    "timeout",
  ]);
  const provider = given.unchecked("provider") as Partial<Eip1193Provider> | null | undefined;
  if (typeof provider?.request !== "function") {
    throw invalid("mpt", "provider", "a provider of EIP-1193", describe(provider));
  }
  const trust = given.unchecked("trust");
  if (typeof trust !== "function") throw invalid("mpt", "trust", "a function", describe(trust));
  const chainId = given.unchecked("chainId");
  const isNumber = typeof chainId === "number" && Number.isSafeInteger(chainId);
  if ((!isNumber && typeof chainId !== "bigint") || chainId < 1) {
    throw invalid("mpt", "chainId", "a positive integer", describe(chainId));
  }
  const onUnverified = given.unchecked("onUnverified");
  if (onUnverified !== undefined && typeof onUnverified !== "function") {
    throw invalid("mpt", "onUnverified", "a function", describe(onUnverified));
  }
  const timeout = given.optionalU32("timeout") ?? 10_000;
  const context: Context = {
    chainId: BigInt(chainId),
    server: new Server(provider as Eip1193Provider, Math.min(timeout, 2 ** 31 - 1)),
    trust: trust as Trust,
  };
  const mode = given.optionalChoice("mode", ["strict", "if-possible"]) ?? "strict";
  return { context, mode, onUnverified: onUnverified as ProviderOptions["onUnverified"] };
}
