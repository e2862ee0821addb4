/** Follows heads: asks when a server's WebSocket says that there is one, and now and then anyway. */

import { toHex } from "../bytes.js";
import type { Header } from "../chain/header.js";
import type { Servers } from "./servers.js";

/** How heads are followed. */
export interface WatchOptions {
  /** How often heads are asked for where no WebSocket tells of them, in milliseconds. */
  pollInterval: number;
}

interface Subscriber {
  listener: (head: Header) => void;
  onError: ((error: unknown) => void) | undefined;
  /** The hash of the last head that it heard of. */
  heard: string;
}

/** What a WebSocket says is only a hint; so that a silent one harms little, heads are asked for too. */
const WITH_HINTS = 10;
const LONGEST_PAUSE = 30_000;
const SHORTEST_PAUSE = 50;

/** Runs while there are subscribers. */
export class HeadWatch {
  readonly #servers: Servers;
  readonly #sync: (signal: AbortSignal) => Promise<Header>;
  readonly #pollInterval: number;
  readonly #subscribers = new Set<Subscriber>();
  #running: AbortController | undefined;
  #newest: Header | undefined;

  constructor(
    servers: Servers,
    sync: (signal: AbortSignal) => Promise<Header>,
    { pollInterval }: WatchOptions,
  ) {
    this.#servers = servers;
    this.#sync = sync;
    this.#pollInterval = pollInterval;
  }

  subscribe(listener: Subscriber["listener"], onError?: Subscriber["onError"]): () => void {
    const subscriber = { listener, onError, heard: "" };
    this.#subscribers.add(subscriber);
    if (this.#newest) tell(subscriber, this.#newest);
    this.#start();
    return () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size === 0) this.close();
    };
  }

  close(): void {
    this.#subscribers.clear();
    this.#running?.abort();
    this.#running = undefined;
    this.#newest = undefined;
  }

  #start(): void {
    if (this.#running) return;
    this.#running = new AbortController();
    void this.#run(this.#running.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const hints = new Hints(this.#servers);
    signal.addEventListener("abort", () => {
      hints.close();
    });
    const ended = () => signal.aborted;
    let failures = 0;
    while (!ended()) {
      try {
        const head = await this.#sync(signal);
        if (ended()) return;
        failures = 0;
        this.#newest = head;
        for (const subscriber of [...this.#subscribers]) tell(subscriber, head);
      } catch (error) {
        if (ended()) return;
        failures += 1;
        for (const { onError } of [...this.#subscribers]) onError?.(error);
      }
      const interval = this.#pollInterval * (hints.open() ? WITH_HINTS : 1);
      // A little chance, so that many clients do not come back at one moment.
      const wait = interval * 2 ** Math.min(failures, 10) * (failures ? 0.5 + Math.random() : 1);
      await hints.next(Math.min(wait, Math.max(LONGEST_PAUSE, interval)), signal);
    }
  }
}

function tell(subscriber: Subscriber, head: Header): void {
  const hash = toHex(head.hash);
  if (subscriber.heard === hash) return;
  subscriber.heard = hash;
  subscriber.listener(head);
}

/** Waits so many milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** A WebSocket to the preferred server whose messages say no more than that something happened. */
class Hints {
  readonly #servers: Servers;
  #socket: WebSocket | undefined;
  #wake: (() => void) | undefined;
  #hinted = false;

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** Whether one is open; if not, it is tried, where the platform has WebSockets. */
  open(): boolean {
    const { WebSocket } = globalThis as { WebSocket?: typeof globalThis.WebSocket };
    if (!WebSocket) return false;
    if (!this.#socket) this.#connect(WebSocket);
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Waits for a hint, or so long. */
  async next(milliseconds: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#hinted || signal.aborted) this.#wake();
    });
    this.#wake = undefined;
    // A server that sends hints without end must not make the client ask without end.
    if (this.#hinted && !signal.aborted) await pause(SHORTEST_PAUSE);
    this.#hinted = false;
  }

  close(): void {
    this.#socket?.close();
    this.#wake?.();
  }

  #connect(WebSocket: typeof globalThis.WebSocket): void {
    const url = new URL(this.#servers.preferred);
    url.protocol = url.protocol.replace("http", "ws");
    let socket: WebSocket;
    try {
      socket = new WebSocket(url);
    } catch {
      return; // For example `ws:` on a page of https.
    }
    this.#socket = socket;
    const subscribe = { jsonrpc: "2.0", id: 1, method: "prooflight_newHeads", params: {} };
    socket.onopen = () => {
      socket.send(JSON.stringify(subscribe));
    };
    socket.onmessage = () => {
      this.#hinted = true;
      this.#wake?.();
    };
    socket.onclose = () => {
      if (this.#socket === socket) this.#socket = undefined;
    };
  }
}
