/** `eth_subscribe`, by polling. */

import { refuse } from "../../error.js";
import type { Chain, Method } from "./chain.js";
import { type Filter, endsFilter, openHeaders, openLogs, type Report } from "./filters.js";
import { OpenSet } from "./open-items.js";

/** Receives what a subscription found. */
export type Listener = (message: {
  type: "eth_subscription";
  data: { subscription: string; result: Report };
}) => void;

/** The open subscriptions of a provider. */
export class Subscriptions {
  readonly #timers = new OpenSet<ReturnType<typeof setInterval>>(
    "subscriptions",
    "eth_unsubscribe",
  );
  readonly #emit: Listener;

  constructor(emit: Listener) {
    this.#emit = emit;
  }

  /** The methods about subscriptions. */
  methods(): [string, number, Method][] {
    return [
      ["eth_subscribe", 2, async (chain, params, name) => this.#start(chain, params, name)],
      ["eth_unsubscribe", 1, (_, [id]) => this.#stop(String(id))],
    ];
  }

  async #start(chain: Chain, params: readonly unknown[], name: string): Promise<string> {
    const [kind] = params;
    if (kind !== "newHeads" && kind !== "logs") {
      const expected = "a subscription to newHeads or logs";
      throw refuse("unverifiable_method", expected, String(kind));
    }
    return this.#timers.open(async (id) => {
      const filter = await (kind === "logs"
        ? openLogs(chain, params, name, 1)
        : openHeaders(chain));
      // No poll starts before the last one has ended: otherwise slow polls would pile up.
      let isPolling = false;
      const poll = async () => {
        if (isPolling) return;
        isPolling = true;
        await this.#poll(chain, filter, id);
        isPolling = false;
      };
      return setInterval(() => void poll(), chain.settings.pollInterval);
    });
  }

  /** Emits what is new. If no server gives an answer that verifies, the next poll tries again. */
  async #poll(chain: Chain, filter: Filter, id: string): Promise<void> {
    try {
      for (const result of await filter.changes(chain)) {
        if (this.#timers.get(id) === undefined) return;
        this.#emit({ type: "eth_subscription", data: { subscription: id, result } });
      }
    } catch (error) {
      if (endsFilter(error)) this.#stop(id);
    }
  }

  #stop(id: string): boolean {
    const timer = this.#timers.remove(id);
    clearInterval(timer);
    return timer !== undefined;
  }
}
