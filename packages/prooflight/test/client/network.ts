/** Clients of the network that `../network/setup.ts` starts. */

import { inject, onTestFinished } from "vitest";

import { LightClient } from "../../src/index.js";
import type { Failure, Options } from "../../src/index.js";
import type { Controlled } from "../network/control.js";
import { alice, set } from "../network/state.js";

export const network = inject("network");

/** A liar's URL, and one through which it tells the truth. */
export const liar = (name: string) => `${network.liar}/${name}`;
export const honest = `${network.liar}/honest`;

/**
 * Connects from the pinned checkpoint to the node; the client is closed when the test is over,
 * which must not be a concurrent one.
 */
export async function connect(options: Partial<Options> = {}): Promise<LightClient> {
  const client = await LightClient.connect({
    urls: [network.url],
    checkpoint: network.pinned,
    ...options,
  });
  onTestFinished(() => {
    client.close();
  });
  return client;
}

/** Collects what `onFailure` hears: of each failure the origin, and its code and reason. */
export function failures() {
  const heard: { url: string; verdict: string }[] = [];
  const onFailure = ({ url, error }: Failure) => {
    heard.push({
      url: url.replace(/ \(server \d+\)$/, ""),
      verdict: `${error.code} / ${error.reason}`,
    });
  };
  return { heard, onFailure };
}

/**
 * A `fetch` that sends what is for `from` to another server, which `to` changes: a server that
 * changes its mind.
 */
export function turncoat(from: string, first: string) {
  let target = first;
  return {
    to: (url: string) => {
      target = url;
    },
    fetch: (url: URL | RequestInfo, init?: RequestInit) =>
      fetch(url instanceof URL && url.href === from ? target : url, init),
  };
}

/** Starts a node with a chain of its own, which is stopped when all tests are over. */
export const begin = (schemes = "avl", chainId?: string) =>
  control<Controlled>("begin", { schemes, chainId });

/** A second node that goes on by itself from where the first one is, with the same key. */
export const fork = ({ id }: Controlled) => control<Controlled>("fork", { id });

export const stop = ({ id }: Controlled) => control("stop", { id });
export const start = ({ id }: Controlled) => control("start", { id });

async function control<T = null>(action: string, given: object = {}): Promise<T> {
  const response = await fetch(`${network.control}/${action}`, {
    method: "POST",
    body: JSON.stringify(given),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

/** Makes a block at a node that sets alice's value. */
export const pay = ({ url }: Controlled, value: string) =>
  control("submit", { url, ops: [set(alice, value)] });

/** What came one after the other, for which a test can wait. */
export class Events<T> {
  readonly all: T[] = [];
  #waiting: (() => void)[] = [];

  readonly add = (event: T): void => {
    this.all.push(event);
    this.#waiting.splice(0).forEach((wake) => {
      wake();
    });
  };

  /** The first event that fits; waits for it. */
  async first(fits: (event: T) => boolean = () => true): Promise<T> {
    for (;;) {
      const found = this.all.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
