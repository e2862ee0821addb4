/** Follows heads: asks for the newest head after a WebSocket's hint, and at intervals. */

import { notify } from "../arguments.js";
import { toHex } from "../bytes.js";
import { copyHeader, type Header } from "../chain/header.js";
import { pause } from "../transport/abort.js";
import type { Address } from "../transport/address.js";
import { MAX_TIMER_MS } from "../transport/options.js";
import type { Servers } from "../transport/servers.js";
import { type OpenSocket, openSocket } from "../transport/socket.js";

/** Options for following heads. */
export interface WatchOptions {
  /** The interval between requests without a WebSocket, in milliseconds. */
  pollInterval: number;
  /** Whether a WebSocket may announce heads. */
  webSocket: boolean;
}

interface HeadSubscriber {
  listener: (head: Header) => void;
  onError: ((error: unknown) => void) | undefined;
  /** The hash of the last head that it was called with. */
  heard: string;
}

/** With a WebSocket, the interval is this many times longer. Requests go on, since hints may fail to come. */
const HINTS_INTERVAL_FACTOR = 10;
const MAX_PAUSE_MS = 30_000;
const MIN_PAUSE_MS = 50;

/** Bounds on hints between two requests for the head. A server that exceeds them is flooding. */
const MAX_HINTS = 1000;
const MAX_HINT_CHARACTERS = 1 << 20;

/** Follows heads while there are subscribers. */
export class HeadWatch {
  readonly #servers: Servers;
  readonly #sync: (signal: AbortSignal) => Promise<Header>;
  readonly #pollInterval: number;
  readonly #webSocket: boolean;
  readonly #subscribers = new Set<HeadSubscriber>();
  #running: AbortController | undefined;
  #newest: Header | undefined;

  constructor(
    servers: Servers,
    sync: (signal: AbortSignal) => Promise<Header>,
    { pollInterval, webSocket }: WatchOptions,
  ) {
    this.#servers = servers;
    this.#sync = sync;
    this.#pollInterval = Math.max(pollInterval, MIN_PAUSE_MS);
    this.#webSocket = webSocket;
  }

  subscribe(listener: HeadSubscriber["listener"], onError?: HeadSubscriber["onError"]): () => void {
    const subscriber = { listener, onError, heard: "" };
    this.#subscribers.add(subscriber);
    queueMicrotask(() => {
      if (this.#newest) this.#tell(subscriber, this.#newest);
    });
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

  /** Ends all subscriptions, and tells why. */
  stop(error: unknown): void {
    const subscribers = [...this.#subscribers];
    this.close();
    for (const { onError } of subscribers) notify(onError, error);
  }

  #start(): void {
    if (this.#running) return;
    this.#running = new AbortController();
    void this.#run(this.#running.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const hints = new HeadHints(this.#servers, this.#pollInterval, signal);
    const ended = () => signal.aborted;
    let failures = 0;
    while (!ended()) {
      try {
        const head = await this.#sync(signal);
        if (ended()) return;
        failures = 0;
        this.#newest = head;
        for (const subscriber of [...this.#subscribers]) this.#tell(subscriber, head);
      } catch (error) {
        if (ended()) return;
        failures += 1;
        for (const { onError } of [...this.#subscribers]) notify(onError, error);
      }
      if (ended()) return;
      const interval = Math.min(
        this.#pollInterval * (this.#webSocket && hints.open() ? HINTS_INTERVAL_FACTOR : 1),
        MAX_TIMER_MS,
      );
      // Random, so that many clients do not return at the same moment.
      const wait = interval * 2 ** Math.min(failures, 10) * (failures ? 0.5 + Math.random() : 1);
      await hints.next(Math.min(wait, Math.max(MAX_PAUSE_MS, interval)));
    }
  }

  #tell(subscriber: HeadSubscriber, head: Header): void {
    const hash = toHex(head.hash);
    // Another subscriber's listener may have ended this subscription.
    if (subscriber.heard === hash || !this.#subscribers.has(subscriber)) return;
    subscriber.heard = hash;
    notify(subscriber.listener, copyHeader(head));
  }
}

/** A WebSocket to the preferred server. Its messages are only hints; their content is not read. */
class HeadHints {
  readonly #servers: Servers;
  readonly #pollInterval: number;
  readonly #signal: AbortSignal;
  #opened: OpenSocket | undefined;
  #name = "";
  #wake: (() => void) | undefined;
  #hints = 0;
  readonly #flooding = new Set<string>();

  constructor(servers: Servers, pollInterval: number, signal: AbortSignal) {
    this.#servers = servers;
    this.#pollInterval = pollInterval;
    this.#signal = signal;
    signal.addEventListener("abort", () => {
      this.#opened?.end();
      this.#wake?.();
    });
  }

  /** Whether a WebSocket is open. If not, starts to open one, if the platform supports it. */
  open(): boolean {
    const { WebSocket } = globalThis as { WebSocket?: typeof globalThis.WebSocket };
    if (!WebSocket) return false;
    const { name, address } = this.#servers.preferred;
    // The preferred server may have changed.
    if (this.#name !== name) this.#opened?.end();
    else if (this.#opened) return this.#opened.socket.readyState === WebSocket.OPEN;
    if (!this.#flooding.has(name)) this.#connect(name, address, WebSocket);
    return false;
  }

  /** Waits for a hint, at most for a time. */
  async next(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#hints > 0 || this.#signal.aborted) this.#wake();
    });
    this.#wake = undefined;
    // Endless hints must not cause endless requests.
    if (this.#hints > 0) await pause(MIN_PAUSE_MS, this.#signal);
    this.#hints = 0;
  }

  #connect(name: string, { url, headers }: Address, WebSocket: typeof globalThis.WebSocket): void {
    let opened: OpenSocket;
    try {
      opened = openSocket(url.href.replace("http", "ws"), WebSocket, headers);
    } catch {
      return; // For example `ws:` on an https page, or headers in a browser.
    }
    const { socket } = opened;
    this.#opened = opened;
    this.#name = name;
    const subscribe = { jsonrpc: "2.0", id: 1, method: "prooflight_newHeads", params: {} };
    socket.onopen = () => {
      socket.send(JSON.stringify(subscribe));
    };
    socket.onmessage = ({ data }: { data: unknown }) => {
      this.#hints += 1;
      if (
        this.#hints > MAX_HINTS ||
        typeof data !== "string" ||
        data.length > MAX_HINT_CHARACTERS
      ) {
        this.#flooding.add(name);
        opened.end();
      }
      this.#wake?.();
    };
    const end = () => {
      if (this.#opened === opened) this.#opened = undefined;
      // Without hints, the next request is due after the shorter interval.
      void pause(this.#pollInterval, this.#signal).then(() => this.#wake?.());
    };
    socket.onclose = end;
    // On some platforms, a WebSocket that fails to open has no close event.
    socket.onerror = end;
  }
}
