/** A WebSocket that ends even if its server does not want it to. */

import { nodeModule } from "../node-module.js";

/** How long a server may take to close its side, in milliseconds. */
const GRACE = 1000;

export interface OpenSocket {
  socket: WebSocket;
  /** Closes the WebSocket, and in Node its connection too where the server leaves that open. */
  end: () => void;
}

/**
 * Opens one. In Node `close()` alone waits for the server as long as the server likes, which keeps the
 * process alive. Browsers give up by themselves.
 */
export function openSocket(url: string, WebSocket: typeof globalThis.WebSocket): OpenSocket {
  const { socket, connection, forget } = observed(() => new WebSocket(url));
  let opened = false;
  let ended = false;
  socket.addEventListener("open", () => {
    opened = true;
    forget();
  });
  socket.addEventListener("error", forget);
  socket.addEventListener("close", forget);
  const end = () => {
    if (ended) return;
    ended = true;
    forget();
    socket.close();
    // Node itself destroys the connection of one that did not open.
    const mine = opened ? connection() : undefined;
    if (!mine) return;
    const timer: { unref?: () => void } = setTimeout(() => {
      mine.destroy();
    }, GRACE);
    timer.unref?.();
  };
  return { socket, end };
}

interface Connection {
  destroy: () => void;
  alpnProtocol?: unknown;
}

/** Of Node's `node:diagnostics_channel`. */
interface Channels {
  subscribe: (name: string, listener: (message: unknown) => void) => void;
  unsubscribe: (name: string, listener: (message: unknown) => void) => void;
}

interface Message {
  request?: { headers?: unknown };
  socket?: Connection;
}

/** Both tell of a request; the second one when it is sent, and on which connection. */
const CREATED = "undici:request:create";
const SENT = "undici:client:sendHeaders";

/**
 * Makes a WebSocket and learns from Node's diagnostics on which connection it is: nothing else tells.
 * `forget` ends the learning. Where no such diagnostics come, there is no connection.
 */
function observed(make: () => WebSocket) {
  const channels = nodeModule("node:diagnostics_channel") as Channels | undefined;
  let key: string | undefined;
  let connection: Connection | undefined;
  const headersOf = (message: unknown) => String((message as Message).request?.headers);
  const created = (message: unknown) => {
    // Random for each WebSocket. A request that Node repeats on another connection keeps it.
    key ??= /sec-websocket-key\W+([\w+/]{22}==)/i.exec(headersOf(message))?.[1];
  };
  const sent = (message: unknown) => {
    const { socket } = message as Message;
    // Other requests share a connection of HTTP/2.
    if (socket?.alpnProtocol === "h2" || !key || !headersOf(message).includes(key)) return;
    connection = socket;
  };
  const forget = () => {
    channels?.unsubscribe(SENT, sent);
  };
  channels?.subscribe(CREATED, created);
  // On a connection that is there, the request is sent before the WebSocket is made.
  channels?.subscribe(SENT, sent);
  try {
    return { socket: make(), connection: () => connection, forget };
  } catch (error) {
    forget();
    throw error;
  } finally {
    channels?.unsubscribe(CREATED, created);
    if (!key) forget();
  }
}
