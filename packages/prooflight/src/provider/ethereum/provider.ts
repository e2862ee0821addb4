/** The provider that follows Ethereum itself. */

import { notify } from "../../arguments.js";
import { describe, refuse } from "../../error.js";
import type { Beacon } from "../../ethereum/beacon.js";
import type { Follower } from "../../ethereum/follower.js";
import { init } from "../../wasm/ethereum.js";
import { ProviderError, toProviderError } from "../error.js";
import { forward } from "../forward.js";
import { NEVER_FORWARDED } from "../forwardable.js";
import { listen, listOf, type Request, wrong } from "../request.js";
import { Chain, type Method } from "./chain.js";
import { filterMethods, Filters } from "./filters.js";
import { METHODS, unverifiable } from "./methods.js";
import { type NetworkProviderOptions, readNetworkOptions } from "./options.js";
import { Subscriptions } from "./subscriptions.js";

type Listener = (...args: unknown[]) => void;

/** A provider that answers the requests which its methods verify, and asks a wallet for accounts and signatures. */
export class NetworkProvider {
  readonly #chain: Chain;
  readonly #methods: ReadonlyMap<string, { maxParams: number; method: Method }>;
  readonly #listeners = new Set<Listener>();

  /** Throws `invalid_argument` for wrong options. */
  constructor(options: NetworkProviderOptions) {
    this.#chain = new Chain(readNetworkOptions(options));
    const subscriptions = new Subscriptions((message) => {
      for (const listener of [...this.#listeners]) notify(listener, message);
    });
    const all = [...METHODS, ...filterMethods(new Filters()), ...subscriptions.methods()];
    this.#methods = new Map(all.map(([name, maxParams, method]) => [name, { maxParams, method }]));
  }

  /** The beacon chain that it follows; undefined if its heads are given. */
  get beacon(): Beacon | undefined {
    return this.#chain.settings.beacon;
  }

  /** Answers a request that was checked and copied; throws if there are no heads to trust any more. */
  async answer(request: Request): Promise<unknown> {
    const { method: name } = request;
    const { wallet, follower } = this.#chain.settings;
    follower.check();
    const found = this.#methods.get(name);
    if (found) {
      const params = listOf(request);
      if (params.length > found.maxParams) {
        throw wrong(name, `at most ${found.maxParams} parameters`, params.length);
      }
      await init();
      const answer: unknown = await found.method(this.#chain, params, name);
      follower.check();
      return answer;
    }
    if (NEVER_FORWARDED.has(name)) {
      const expected = "a method whose answer no local key signs";
      throw new ProviderError(refuse("unverifiable_method", expected, name), -32601);
    }
    if (wallet?.forwarding.methods.has(name)) return forward(wallet.forwarding, request);
    if (name === "eth_accounts") return [];
    throw unverifiable(name);
  }

  /** Adds or removes a listener to subscriptions, or to the wallet's events. */
  hear(how: "on" | "removeListener", event: string, listener: Listener): void {
    const { wallet, follower } = this.#chain.settings;
    if (how === "on") checkHeads(follower);
    if (event === "message") {
      if (how === "on") this.#listeners.add(listener);
      else this.#listeners.delete(listener);
      return;
    }
    if (!wallet) return;
    try {
      listen(wallet.provider, how, event, listener, false);
    } catch (cause) {
      const expected = `the wallet to listen to ${event}`;
      throw toProviderError(refuse("server_error", expected, describe(cause), { cause }));
    }
  }
}

/** Throws an error that Ethereum libraries expect if there are no heads to trust any more. */
function checkHeads(follower: Follower): void {
  try {
    follower.check();
  } catch (error) {
    throw toProviderError(error);
  }
}
