import { invalid, unknownMember } from "../arguments.js";
import { describe, refuse, VerifyError } from "../error.js";
import type { Beacon } from "../ethereum/beacon.js";
import { init } from "../wasm/hash.js";
import { ProviderError, toProviderError } from "./error.js";
import { NETWORK_OPTIONS, type NetworkProviderOptions } from "./ethereum/options.js";
import { NetworkProvider } from "./ethereum/provider.js";
import { forward } from "./forward.js";
import { NEVER_FORWARDED } from "./forwardable.js";
import { METHODS, type ProviderContext } from "./methods.js";
import { OPTIONS, type ProviderOptions, reading, settingsOf } from "./options.js";
import {
  type Eip1193Events,
  type Eip1193Provider,
  listen,
  listOf,
  type Request,
  type RequestArguments,
  requestOf,
} from "./request.js";

/** A provider of EIP-1193. */
export interface VerifyingProvider extends Eip1193Provider {
  /**
   * Throws a `ProviderError` if no answer verifies, and a `ForwardedError` if a method was forwarded and the
   * server answered with an error.
   */
  request(args: RequestArguments): Promise<unknown>;
  /**
   * Listens to the wallet's events; in the mode `strict`, only to those about the wallet itself. A provider that
   * follows Ethereum emits `message` for subscriptions.
   */
  on(event: string, listener: (...args: unknown[]) => void): this;
  removeListener(event: string, listener: (...args: unknown[]) => void): this;
}

/**
 * Creates a provider that returns verified answers. Loads the WebAssembly with the first request.
 *
 * With `execution`, it follows Ethereum from a checkpoint and verifies blocks, accounts, transactions, receipts,
 * complete logs and fees. With `trust`, it verifies balances, nonces, code, storage and proofs by `eth_getProof`
 * against a state that the caller trusts.
 *
 * For viem: `createPublicClient({ transport: custom(provider) })`; for ethers: `new
 * BrowserProvider(provider)`. Throws `invalid_input` / `invalid_argument` for wrong options.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/check-an-ethereum-rpc.md | Check an Ethereum RPC endpoint}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/packages/prooflight/README.md#ethereum | The table of the methods}
 *
 * @example
 * ```ts
 * import { createProvider } from "prooflight/provider";
 * import { createPublicClient, custom } from "viem";
 *
 * const servers = { beacon: ["https://beacon.example"], execution: ["https://rpc.example"] };
 * const provider = createProvider({ network: "mainnet", checkpoint: finalizedRoot, ...servers });
 * const publicClient = createPublicClient({ transport: custom(provider) });
 * console.log(await publicClient.getBalance({ address })); // verified
 * ```
 */
export function createProvider(options: NetworkProviderOptions): VerifyingProvider;
// Two overloads, so that an error names the members of one form.
// eslint-disable-next-line @typescript-eslint/unified-signatures
export function createProvider(options: ProviderOptions): VerifyingProvider;
export function createProvider(
  options: NetworkProviderOptions | ProviderOptions,
): VerifyingProvider {
  return reading(() => follows(options))
    ? followEthereum(options as NetworkProviderOptions).provider
    : trusting(options as ProviderOptions);
}

/**
 * Whether the options are of a provider that follows Ethereum; throws `invalid_argument` if they are of neither form.
 */
function follows(options: object): boolean {
  const expected = "an object with execution, or with provider, chainId and trust";
  if (Object(options) !== options) {
    throw invalid(undefined, "the argument", expected, describe(options));
  }
  if (Object.hasOwn(options, "execution")) return true;
  if (Object.hasOwn(options, "provider") || Object.hasOwn(options, "trust")) return false;
  const names = Object.keys(options);
  const given = names.length > 0 ? `none of them beside ${names.join(", ")}` : "none of them";
  const found = unknownMember(options, [...NETWORK_OPTIONS, ...OPTIONS]) ?? given;
  throw invalid(undefined, "the argument", expected, found);
}

/** A provider that follows Ethereum. */
export interface FollowingProvider {
  provider: VerifyingProvider;
  /** The beacon chain that it follows; undefined if its heads are given. */
  beacon: Beacon | undefined;
}

/** Creates a provider that follows Ethereum; for the command line, which keeps the state of the beacon chain. */
export function followEthereum(options: NetworkProviderOptions): FollowingProvider {
  const network = reading(() => new NetworkProvider(options));
  const provider: VerifyingProvider = {
    request: (args) => answering(args, (request) => network.answer(request)),
    on(event, listener) {
      network.hear("on", event, listener);
      return provider;
    },
    removeListener(event, listener) {
      network.hear("removeListener", event, listener);
      return provider;
    },
  };
  return { provider, beacon: network.beacon };
}

/** Answers a request; throws only errors that Ethereum libraries expect. */
async function answering(
  args: RequestArguments,
  answer: (request: Request) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await answer(requestOf(args));
  } catch (error) {
    throw toProviderError(error);
  }
}

function trusting(options: ProviderOptions): VerifyingProvider {
  const { context, provider: server } = settingsOf(options);
  const hear = (how: keyof Eip1193Events, event: string, listener: () => void) => {
    try {
      listen(server, how, event, listener, context.forwarding !== undefined);
    } catch (error) {
      const expected = `the server's provider to listen to ${event}`;
      const cause = { scheme: "mpt", cause: error } as const;
      throw toProviderError(refuse("server_error", expected, describe(error), cause));
    }
    return provider;
  };
  const provider: VerifyingProvider = {
    request: (args) => answering(args, (request) => answer(context, request)),
    on: (event, listener) => hear("on", event, listener),
    removeListener: (event, listener) => hear("removeListener", event, listener),
  };
  return provider;
}

async function answer(context: ProviderContext, request: Request): Promise<unknown> {
  const { method } = request;
  const verified = METHODS.get(method);
  if (verified) {
    await init();
    return verified(context, listOf(request), method);
  }
  if (context.calls.has(method)) {
    await init();
    try {
      return await context.calls.answer(method, listOf(request));
    } catch (error) {
      // By which rules a block is executed follows from its verified header, so that no server can choose this.
      const isUnknown = error instanceof VerifyError && error.reason === "unsupported_fork";
      if (!isUnknown || !context.forwarding?.methods.has(method)) throw error;
    }
  }
  if (NEVER_FORWARDED.has(method)) {
    const expected = "a method whose answer no local key signs";
    throw new ProviderError(unverifiable(expected, method), -32601);
  }
  if (context.forwarding) return forward(context.forwarding, request);
  throw unverifiable(`one of ${[...METHODS.keys()].join(", ")}`, method);
}

const unverifiable = (expected: string, found: string) =>
  refuse("unverifiable_method", expected, describe(found), { scheme: "mpt" });
