/** What every question needs: execution nodes, the newest heads, and the blocks that are verified already. */

import { type Server, Servers } from "../client/servers.js";
import { Beacon } from "./beacon.js";
import { Blocks } from "./blocks.js";
import { Bodies } from "./bodies.js";
import { boundsOf } from "./bounds.js";
import type { HeadSource, Tips } from "./heads.js";
import type { Common, Settings } from "./options.js";

export class Follower {
  readonly blocks: Blocks;
  readonly bodies = new Bodies();
  readonly #heads: HeadSource;
  readonly #execution: Servers;
  /** The heads that are being asked for; questions at once share them. */
  #asking: Promise<Tips> | undefined;

  constructor(settings: Common, heads: HeadSource) {
    this.blocks = new Blocks(settings.maxWalk);
    this.#heads = heads;
    this.#execution = serversOf(settings, settings.execution, heads);
  }

  /** Throws if there are no heads to trust any more. */
  check(): void {
    this.#heads.check();
  }

  /** Asks one execution node after another about the newest heads. */
  async ask<T>(ask: (server: Server, heads: Tips) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const heads = await this.#newest(signal);
    return this.#execution.ask((server) => ask(server, heads), signal);
  }

  /** Asks every execution node about the newest heads; throws if one gives no answer that verifies. */
  async askEach<T>(
    ask: (server: Server, heads: Tips) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T[]> {
    const heads = await this.#newest(signal);
    return this.#execution.askEach((server) => ask(server, heads), signal);
  }

  /** Asks one execution node after another, without heads. */
  async send<T>(ask: (server: Server) => Promise<T>): Promise<T> {
    return this.#execution.ask(ask, undefined);
  }

  #newest(signal: AbortSignal | undefined): Promise<Tips> {
    if (signal) return this.#heads.newest(signal);
    this.#asking ??= this.#heads.newest(undefined).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }
}

/** The heads of a beacon chain, by its servers. */
export function beaconOf(settings: Settings): Beacon {
  const check = () => {
    beacon.check();
  };
  const beacon: Beacon = new Beacon(settings, serversOf(settings, settings.beacon, { check }));
  return beacon;
}

const serversOf = (
  { transport, onFailure }: Common,
  urls: readonly unknown[],
  heads: Pick<HeadSource, "check">,
) =>
  new Servers(
    urls,
    transport,
    onFailure,
    () => {
      heads.check();
    },
    boundsOf,
  );
