/** Follows the newest head of a provider, so that it is at hand when a request comes. */

import type { Eip1193Provider } from "../../../provider/request.js";

/** A verified head. */
export interface ServedHead {
  number: bigint;
  hash: string;
  /** In seconds. */
  timestamp: bigint;
}

/** The newest head of a provider. */
export class HeadWatch {
  readonly #provider: Eip1193Provider;
  #head: ServedHead | undefined;
  #isStopped = false;

  constructor(provider: Eip1193Provider) {
    this.#provider = provider;
  }

  /** The newest head that was verified; undefined before the first. */
  get head(): ServedHead | undefined {
    return this.#head;
  }

  /** Asks for the newest head; throws what the provider throws. */
  async update(): Promise<ServedHead> {
    const params = ["latest", false];
    const block = await this.#provider.request({ method: "eth_getBlockByNumber", params });
    const { number, hash, timestamp } = block as Record<keyof ServedHead, string>;
    this.#head = { number: BigInt(number), hash, timestamp: BigInt(timestamp) };
    return this.#head;
  }

  /** Forgets the head for good, since no head is trusted any more. */
  stop(): void {
    this.#head = undefined;
    this.#isStopped = true;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** What `/health` says. */
  health(network: string) {
    const head = this.#head;
    if (!head) return { ok: false, network };
    const { number, hash, timestamp } = head;
    return {
      ok: true,
      network,
      head: { number: Number(number), hash },
      ageSeconds: Math.floor(Date.now() / 1000) - Number(timestamp),
    };
  }
}
