import { Arguments, invalid } from "../arguments.js";
import { describe, refuse, VerifyError } from "../error.js";
import { EXECUTION_FORKS, type ExecutionFork } from "../ethereum/execution/rules.js";
import { readTimeout } from "../transport/options.js";
import { rulesOfChain, TrustedCalls } from "./calls.js";
import type { Forwarding } from "./forward.js";
import { FORWARDABLE, NEVER_FORWARDED } from "./forwardable.js";
import { METHODS, type ProviderContext } from "./methods.js";
import type { Eip1193Events, Eip1193Provider, RequestArguments } from "./request.js";
import { WalletServer } from "./server.js";
import type { Trust } from "./trust.js";

/**
 * What to do with methods whose answers cannot be verified. `strict` refuses them. `if-possible` forwards the methods
 * of a list to the server, after calling `onUnverified`.
 */
export type Mode = "strict" | "if-possible";

/** Options of `createProvider`. */
export interface ProviderOptions {
  /** The untrusted provider to ask: a wallet's, a library's, or `httpProvider(url)`. */
  provider: Eip1193Provider & Partial<Eip1193Events>;
  /** The id of the chain, which `eth_chainId` returns. */
  chainId: bigint | number;
  /** Returns the trusted state. */
  trust: Trust;
  /**
   * The fork by whose rules calls are executed. Default: by the schedule of mainnet, Sepolia or Hoodi, up to its newest
   * fork. In other blocks, calls are refused, or forwarded like methods that cannot be verified.
   */
  fork?: ExecutionFork | undefined;
  /** What to do with methods that cannot be verified. Default `strict`. */
  mode?: Mode | undefined;
  /**
   * The methods that may be forwarded in `if-possible`. A method that Prooflight does not know is assumed to sign.
   * Default `FORWARDABLE`.
   */
  forward?: readonly string[] | undefined;
  /**
   * The highest fee per gas, in wei, that methods about fees may answer. Without this option these methods are refused,
   * since local keys sign such fees unseen.
   */
  maxFeePerGas?: bigint | undefined;
  /**
   * Called, and awaited, before a request is forwarded. The request is refused if it returns `false` or throws.
   */
  onUnverified?: ((request: RequestArguments) => unknown) | undefined;
  /** The time limit of an answer in milliseconds, unless the user decides. Default 10,000. */
  timeout?: number | undefined;
}

/** The options of a provider, checked. */
export interface Settings {
  context: ProviderContext;
  provider: ProviderOptions["provider"];
}

/** Reads options; throws `invalid_argument`. */
export const settingsOf = (options: ProviderOptions): Settings => reading(() => read(options));

/** Reads arguments whose getters may throw; such an error becomes `invalid_argument`. */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof VerifyError) throw cause;
    const expected = "the argument to have members that can be read";
    throw refuse("invalid_argument", expected, "one that throws", { scheme: "mpt", cause });
  }
}

/** The names of the options. */
export const OPTIONS = [
  "provider",
  "chainId",
  "trust",
  "fork",
  "mode",
  "forward",
  "maxFeePerGas",
  "onUnverified",
  "timeout",
] as const satisfies readonly (keyof ProviderOptions)[];

function read(options: ProviderOptions): Settings {
  const given = new Arguments("mpt", options, OPTIONS);
  const provider = given.unchecked("provider") as ProviderOptions["provider"] | null | undefined;
  if (typeof provider?.request !== "function") {
    throw invalid("mpt", "provider", "a provider of EIP-1193", describe(provider));
  }
  const trust = given.unchecked("trust");
  if (typeof trust !== "function") throw invalid("mpt", "trust", "a function", describe(trust));
  const onUnverified = given.unchecked("onUnverified");
  if (onUnverified !== undefined && typeof onUnverified !== "function") {
    throw invalid("mpt", "onUnverified", "a function", describe(onUnverified));
  }
  const server = new WalletServer(provider, readTimeout(given.unchecked("timeout")));
  const chainId = chainIdOf(given.unchecked("chainId"));
  const mode = given.optionalChoice("mode", ["strict", "if-possible"]) ?? "strict";
  const rules = rulesOfChain(chainId, given.optionalChoice("fork", EXECUTION_FORKS));
  const calls = new TrustedCalls(server, trust as Trust, rules);
  const context = { chainId, server, trust: trust as Trust, calls };
  if (mode === "strict") {
    for (const name of ["forward", "maxFeePerGas"] as const) {
      // Strict mode ignores these options, so passing one is likely a mistake.
      if (given.unchecked(name) === undefined) continue;
      throw invalid("mpt", name, "left out in the mode strict", "there");
    }
    return { provider, context: { ...context, forwarding: undefined } };
  }
  const forwarding: Forwarding = {
    server,
    chainId,
    methods: new Set(given.unchecked("forward") === undefined ? FORWARDABLE : methodsOf(given)),
    maxFeePerGas: feeOf(given.unchecked("maxFeePerGas")),
    onUnverified: onUnverified as Forwarding["onUnverified"],
  };
  return { provider, context: { ...context, forwarding } };
}

function chainIdOf(chainId: unknown): bigint {
  const isNumber = typeof chainId === "number" && Number.isSafeInteger(chainId);
  const id = isNumber || typeof chainId === "bigint" ? BigInt(chainId) : 0n;
  if (id >= 1n && id < 1n << 64n) return id;
  throw invalid("mpt", "chainId", "a positive integer of 64 bits", describe(chainId));
}

function feeOf(fee: unknown): bigint | undefined {
  if (fee === undefined || (typeof fee === "bigint" && fee >= 0n)) return fee;
  throw invalid("mpt", "maxFeePerGas", "a bigint of 0 or more", describe(fee));
}

function methodsOf(given: Arguments<"forward">): string[] {
  return given.list("forward").map((method, index) => {
    const name = `forward[${index}]`;
    if (typeof method !== "string") throw invalid("mpt", name, "a method", describe(method));
    if (NEVER_FORWARDED.has(method)) {
      throw invalid("mpt", name, "a method whose answer no local key signs", method);
    }
    // Of eth_getTransactionCount, only the block `pending` is ever forwarded.
    if (METHODS.has(method) && method !== "eth_getTransactionCount") {
      throw invalid("mpt", name, "a method whose answer cannot be verified", method);
    }
    return method;
  });
}
