/** A wallet's events, which tell of the wallet and not of the chain's state. */

import type { Eip1193Provider } from "./request.js";

/** What EIP-1193 has of a provider besides its requests. */
export interface Eip1193Events {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** Events about the wallet itself; others, `message` for one, tell what was not verified. */
const OF_WALLETS = new Set(["accountsChanged", "chainChanged", "connect", "disconnect"]);

/** Listens to a provider, or stops to; does nothing where it has no events, or none that may be heard. */
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
