/** The subscriptions of connections: each hears of its own. */

import type { Eip1193Events, Eip1193Provider, Request } from "../../../provider/request.js";

/** Receives what a subscription of it found, as JSON. */
export type Subscriber = (id: string, notification: string) => void;

/** A provider that emits what subscriptions found. */
export type NotifyingProvider = Eip1193Provider & Pick<Eip1193Events, "on">;

/** Who has which subscription of a provider. */
export class SubscriptionTable {
  readonly #provider: NotifyingProvider;
  readonly #subscribers = new Map<string, Subscriber>();

  constructor(provider: NotifyingProvider) {
    this.#provider = provider;
    provider.on("message", (message) => {
      this.#notify(message as { type: string; data: { subscription: string } });
    });
  }

  /** Opens a subscription; returns its id. */
  async open(request: Request, subscriber: Subscriber): Promise<string> {
    const id = String(await this.#provider.request(request));
    this.#subscribers.set(id, subscriber);
    return id;
  }

  /** Ends a subscription; returns whether it was open. */
  async end(id: string): Promise<unknown> {
    this.#subscribers.delete(id);
    return this.#provider.request({ method: "eth_unsubscribe", params: [id] });
  }

  #notify({ type, data }: { type: string; data: { subscription: string } }): void {
    if (type !== "eth_subscription") return;
    const notify = this.#subscribers.get(data.subscription);
    notify?.(
      data.subscription,
      JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: data }),
    );
  }
}
