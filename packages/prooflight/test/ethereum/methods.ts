/** The methods that the provider offers, from its code. */

import { Filters, filterMethods } from "../../src/provider/ethereum/filters.js";
import { METHODS } from "../../src/provider/ethereum/methods.js";
import { Subscriptions } from "../../src/provider/ethereum/subscriptions.js";

/** Those that keep something between requests. */
export const STATEFUL: readonly string[] = [
  ...filterMethods(new Filters()),
  ...new Subscriptions(() => undefined).methods(),
].map(([name]) => name);

/** Those that do not. */
export const STATELESS: readonly string[] = METHODS.map(([name]) => name);

/** All of them; asked without a wallet, there are no accounts. */
export const OFFERED: ReadonlySet<string> = new Set([...STATELESS, ...STATEFUL, "eth_accounts"]);
