/** A wallet's events. */

import type { Eip1193Provider } from "./request.js";

/** The events of a provider, as in EIP-1193. */
export interface Eip1193Events {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** Events about the wallet itself. Others, such as `message`, carry unverified data. */
const OF_WALLETS = new Set(["accountsChanged", "chainChanged", "connect", "disconnect"]);

/** Adds or removes a listener, if the provider has events and this one may be listened to. */
export function listen(
  provider: Eip1193Provider & Partial<Eip1193Events>,
  how: keyof Eip1193Events,
  event: string,
  listener: (...args: unknown[]) => void,
  everyEvent: boolean,
): void {
  if (!everyEvent && !OF_WALLETS.has(event)) return;
  if (typeof provider[how] === "function") provider[how](event, listener);
}
