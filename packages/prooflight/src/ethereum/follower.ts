/** What every question needs: execution nodes, the newest heads, and the caches of verified data. */

import { mostReplyBytes } from "../mpt/response.js";
import { type ReplyBounds, type Server, Servers } from "../transport/servers.js";
import { Beacon } from "./beacon.js";
import { Blocks } from "./blocks.js";
import { Bodies } from "./bodies.js";
import { CallContext } from "./execution/context.js";
import type { Heads, HeadSource } from "./heads.js";
import type { CommonSettings, EthereumSettings } from "./options.js";
import { ChainView, type ViewContext } from "./view.js";

/** Execution nodes, and the source of the newest heads. */
export class Follower {
  readonly #heads: HeadSource;
  readonly #execution: Servers;
  readonly #context: ViewContext;
  /** The heads that are being asked for, shared by concurrent questions. */
  #pendingHeads: Promise<Heads> | undefined;

  constructor(settings: CommonSettings, heads: HeadSource) {
    this.#heads = heads;
    this.#execution = serversOf(settings, settings.execution, heads);
    this.#context = {
      blocks: new Blocks(settings.maxWalk),
      bodies: new Bodies(),
      calls: new CallContext(settings, heads),
      settings,
    };
  }

  /** Throws if there are no heads to trust any more. */
  check(): void {
    this.#heads.check();
  }

  /** Asks one execution node after another about the newest heads, until one gives an answer that verifies. */
  async ask<T>(ask: (view: ChainView) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const heads = await this.#newest(signal);
    return this.#execution.ask(
      (server) => ask(new ChainView(server, heads, this.#context)),
      signal,
    );
  }

  /** Asks every execution node about the newest heads; throws if one gives no answer that verifies. */
  async askEach<T>(ask: (view: ChainView) => Promise<T>, signal?: AbortSignal): Promise<T[]> {
    const heads = await this.#newest(signal);
    return this.#execution.askEach(
      (server) => ask(new ChainView(server, heads, this.#context)),
      signal,
    );
  }

  /** Asks one execution node after another, without heads. */
  async send<T>(ask: (server: Server) => Promise<T>): Promise<T> {
    return this.#execution.ask(ask, undefined);
  }

  #newest(signal: AbortSignal | undefined): Promise<Heads> {
    if (signal) return this.#heads.newest(signal);
    this.#pendingHeads ??= this.#heads.newest(undefined).finally(() => {
      this.#pendingHeads = undefined;
    });
    return this.#pendingHeads;
  }
}

/** The heads of a beacon chain, by its servers. */
export function beaconOf(settings: EthereumSettings): Beacon {
  const check = () => {
    beacon.check();
  };
  const beacon: Beacon = new Beacon(settings, serversOf(settings, settings.beacon, { check }));
  return beacon;
}

const serversOf = (
  { transport, onFailure }: CommonSettings,
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

const KIB = 1024;
const MIB = 1024 * KIB;

/** Methods and resources by the most bytes of their replies. */
const MAX_REPLY_BYTES: readonly (readonly [string, number])[] = [
  // Of SSZ in JSON: an update has 513 keys of 48 bytes, in about twice as many characters.
  ["/eth/v1/beacon/light_client/updates", 4 * MIB],
  ["/eth/v1/beacon/light_client/bootstrap", MIB],
  ["/eth/v1/beacon/light_client/", 64 * KIB],
  ["eth_getHeaderBy", 64 * KIB],
  ["eth_getTransactionByHash", 4 * MIB],
  ["eth_getCode", MIB],
  // Half of what a call may read, in about 80 characters each.
  ["eth_createAccessList", MIB],
];

/** The bounds of the reply to a method, or of the resource at a path. */
export function boundsOf(method: string, params: object): ReplyBounds {
  const found = MAX_REPLY_BYTES.find(([name]) => method.startsWith(name))?.[1];
  // Blocks with hashes have at most a few thousand of them; with transactions, whatever the gas allows.
  const isHeader = method.startsWith("eth_getBlockBy") && (params as unknown[])[1] === false;
  const bytes = isHeader ? MIB : (found ?? mostReplyBytes(method, params) ?? Infinity);
  return { bytes, items: Infinity, members: Infinity, transient: true };
}
