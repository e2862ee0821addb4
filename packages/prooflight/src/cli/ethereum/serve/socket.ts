/** The endpoint over WebSocket, where the package `ws` is installed. */

import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

import { refuse } from "../../../error.js";
import { ProviderError } from "../../../provider/error.js";
import type { Request } from "../../../provider/request.js";
import type { Endpoint } from "./endpoint.js";
import type { Guard } from "./guard.js";
import { MAX_BODY_BYTES } from "./http.js";
import type { SubscriptionTable } from "./subscriptions.js";

/** The part of a WebSocket of `ws` that is used. */
interface Socket {
  readonly bufferedAmount: number;
  on(event: "message", listener: (data: Uint8Array) => void): void;
  on(event: "pong" | "close" | "error", listener: () => void): void;
  send(text: string, done: () => void): void;
  ping(): void;
  pause(): void;
  resume(): void;
  close(code: number): void;
  terminate(): void;
}

/** The part of `ws` that is used. */
export interface SocketModule {
  WebSocketServer: new (options: { noServer: true; maxPayload: number }) => {
    handleUpgrade(
      request: IncomingMessage,
      connection: Duplex,
      head: Buffer,
      done: (socket: Socket) => void,
    ): void;
  };
}

/** Loads `ws`, which users install if they want it; undefined if it is not there, or too old. */
export async function loadSockets(name = "ws"): Promise<SocketModule | undefined> {
  try {
    const found = (await import(name)) as Partial<SocketModule>;
    // Older versions have another interface.
    return found.WebSocketServer && (found as SocketModule);
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** The bounds of connections. */
export interface SocketLimits {
  /** Connections at once. */
  connections: number;
  /** Messages of a connection that are at work at once, or whose replies are being sent; no more are read. */
  messages: number;
  /** Subscriptions of a connection. */
  subscriptions: number;
  /** Bytes that a connection has not taken yet, above which it is ended. */
  bufferedBytes: number;
  /** Milliseconds in which a connection must answer a ping. */
  pingInterval: number;
}

/** The bounds, unless others are given. */
export const SOCKET_LIMITS: SocketLimits = {
  connections: 128,
  messages: 16,
  subscriptions: 16,
  bufferedBytes: 64 * 1024 * 1024,
  pingInterval: 30_000,
};

/** What connections are served. */
export interface SocketService {
  endpoint: Endpoint;
  guard: Guard;
  subscriptions: SubscriptionTable;
}

/** Accepts WebSockets of a server; the function that is returned ends all of them. */
export function acceptSockets(
  server: Server,
  service: SocketService,
  { WebSocketServer }: SocketModule,
  given: Partial<SocketLimits> = {},
): () => void {
  const limits = { ...SOCKET_LIMITS, ...given };
  const accepting = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES });
  const connections = new Set<SocketConnection>();
  let isEnding = false;
  server.on("upgrade", (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    if (isEnding) {
      connection.destroy();
      return;
    }
    const [path] = (request.url ?? "").split("?", 1);
    const refusal = service.guard.refusalOf(request.headers, request.socket.localPort);
    if (refusal !== undefined) {
      refuseUpgrade(connection, 403, refusal);
    } else if (path !== "/") {
      refuseUpgrade(connection, 404, "no such resource; JSON-RPC is at /");
    } else if (connections.size >= limits.connections) {
      refuseUpgrade(connection, 503, `at most ${limits.connections} WebSockets may be open`);
    } else {
      accepting.handleUpgrade(request, connection, head, (socket) => {
        const open = new SocketConnection(socket, service, limits);
        connections.add(open);
        socket.on("close", () => connections.delete(open));
      });
    }
  });
  return () => {
    isEnding = true;
    for (const open of connections) open.end();
  };
}

function refuseUpgrade(connection: Duplex, status: number, line: string): void {
  const body = `${line}\n`;
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "connection: close",
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  connection.on("error", () => connection.destroy());
  // Nothing else ends a connection whose program keeps its own side open.
  connection.once("finish", () => connection.destroy());
  connection.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}

/** The code with which a server that ends closes a WebSocket. */
const GOING_AWAY = 1001;

/** Milliseconds that a program has to close its side. */
const CLOSE_TIME = 1000;

/** The most notifications of a subscription whose id was not sent yet, since it is one of a long batch. */
const MAX_EARLY_NOTIFICATIONS = 1024;

/** One program's connection, and its subscriptions. */
class SocketConnection {
  readonly #socket: Socket;
  readonly #service: SocketService;
  readonly #limits: SocketLimits;
  readonly #gone = new AbortController();
  /** By their ids, what each found before the program knows its id; undefined once it does. */
  readonly #subscriptions = new Map<string, string[] | undefined>();
  /** Subscriptions that are being opened. */
  #opening = 0;
  /** Messages that are not at work yet. */
  readonly #waiting: Uint8Array[] = [];
  #running = 0;
  /** Of these, those whose replies are being sent. */
  #sending = 0;
  #isAlive = true;

  constructor(socket: Socket, service: SocketService, limits: SocketLimits) {
    this.#socket = socket;
    this.#service = service;
    this.#limits = limits;
    const timer = setInterval(() => {
      this.#ping();
    }, limits.pingInterval);
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    // A close follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(timer);
      this.#gone.abort();
      for (const id of this.#subscriptions.keys()) void this.#unsubscribe(id);
    });
    socket.on("message", (message) => {
      this.#waiting.push(message);
      this.#next();
    });
  }

  /** Closes the WebSocket, also if its program does not. */
  end(): void {
    this.#socket.close(GOING_AWAY);
    setTimeout(() => {
      this.#socket.terminate();
    }, CLOSE_TIME).unref();
  }

  #ping(): void {
    if (!this.#isAlive) {
      this.#socket.terminate();
      return;
    }
    // Nothing is read while many messages are at work, so no pong either.
    if (this.#running > this.#sending && this.#running >= this.#limits.messages) return;
    this.#isAlive = false;
    this.#socket.ping();
  }

  /** Answers the next messages; reads no more of them while too many are at work. */
  #next(): void {
    while (this.#running < this.#limits.messages) {
      const message = this.#waiting.shift();
      if (!message) {
        this.#socket.resume();
        return;
      }
      this.#running += 1;
      void this.#answer(message).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
    this.#socket.pause();
  }

  async #answer(message: Uint8Array): Promise<void> {
    const opened: string[] = [];
    const { endpoint } = this.#service;
    const reply = await endpoint.answer(message, this.#gone.signal, (request) =>
      request.method === "eth_subscribe"
        ? this.#subscribe(request, opened)
        : this.#unsubscribe(String((request.params as readonly unknown[])[0])),
    );
    if (reply !== undefined) {
      this.#sending += 1;
      await new Promise<void>((resolve) => {
        this.#send(reply, resolve);
      });
      this.#sending -= 1;
    }
    for (const id of opened) {
      const found = this.#subscriptions.get(id) ?? [];
      if (this.#subscriptions.has(id)) this.#subscriptions.set(id, undefined);
      for (const notification of found) this.#send(notification);
    }
  }

  async #subscribe(request: Request, opened: string[]): Promise<string> {
    const { subscriptions: most } = this.#limits;
    if (this.#subscriptions.size + this.#opening >= most) {
      const expected = `at most ${most} subscriptions of a connection`;
      throw new ProviderError(refuse("busy", expected, "one more"), -32005);
    }
    this.#opening += 1;
    try {
      const id = await this.#service.subscriptions.open(request, (id, notification) => {
        this.#notify(id, notification);
      });
      this.#subscriptions.set(id, []);
      opened.push(id);
      if (this.#gone.signal.aborted) await this.#unsubscribe(id);
      return id;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Ends a subscription of this connection; returns whether there was one. */
  async #unsubscribe(id: string): Promise<boolean> {
    if (!this.#subscriptions.delete(id)) return false;
    await this.#service.subscriptions.end(id).catch(() => undefined);
    return true;
  }

  #notify(id: string, notification: string): void {
    const early = this.#subscriptions.get(id);
    if (early && early.length >= MAX_EARLY_NOTIFICATIONS) this.#socket.terminate();
    else if (early) early.push(notification);
    else if (this.#subscriptions.has(id)) this.#send(notification);
  }

  /** Sends a text; ends the connection of a program that does not read. */
  #send(text: string, done: () => void = () => undefined): void {
    if (this.#socket.bufferedAmount > this.#limits.bufferedBytes) this.#socket.terminate();
    this.#socket.send(text, done);
  }
}
