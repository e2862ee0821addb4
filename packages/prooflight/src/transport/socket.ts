/** A WebSocket that can be ended without the server's cooperation. */

import { nodeModule } from "../platform.js";

/** The time that a server has to close its side, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1000;

/** A WebSocket, and how to end it. */
export interface OpenSocket {
  socket: WebSocket;
  /** Closes the WebSocket. In Node, also destroys the connection if the server leaves it open. */
  end: () => void;
}

/**
 * Opens a WebSocket.
 *
 * In Node, `close()` alone waits for the server without a limit, which keeps the process alive. Browsers have a limit
 * of their own.
 *
 * Throws if there are headers and the platform cannot send them: browsers take only protocols as second argument.
 */
export function openSocket(
  url: string,
  WebSocket: typeof globalThis.WebSocket,
  headers: Readonly<Record<string, string>>,
): OpenSocket {
  const options = Object.keys(headers).length === 0 ? [] : [{ headers } as unknown as string[]];
  const { socket, connection, stopLooking } = withConnection(() => new WebSocket(url, ...options));
  let opened = false;
  let ended = false;
  socket.addEventListener("open", () => {
    opened = true;
    stopLooking();
  });
  socket.addEventListener("error", stopLooking);
  socket.addEventListener("close", stopLooking);
  const end = () => {
    if (ended) return;
    ended = true;
    stopLooking();
    socket.close();
    // Node destroys the connection itself if the WebSocket has not opened.
    const leftOpen = opened ? connection() : undefined;
    if (!leftOpen) return;
    const timer: { unref?: () => void } = setTimeout(() => {
      leftOpen.destroy();
    }, CLOSE_TIMEOUT_MS);
    timer.unref?.();
  };
  return { socket, end };
}

interface SocketConnection {
  destroy: () => void;
  alpnProtocol?: unknown;
}

/** The part of `node:diagnostics_channel` that is used. */
interface DiagnosticsChannels {
  subscribe: (name: string, listener: (message: unknown) => void) => void;
  unsubscribe: (name: string, listener: (message: unknown) => void) => void;
}

interface RequestMessage {
  request?: { headers?: unknown };
  socket?: SocketConnection;
}

/** Channels about requests. The second one has the connection on which a request is sent. */
const REQUEST_CREATED = "undici:request:create";
const HEADERS_SENT = "undici:client:sendHeaders";

/**
 * Makes a WebSocket and finds its connection by Node's diagnostics, since no other API gives it. `stopLooking` stops
 * looking for it. Without such diagnostics, `connection` gives undefined.
 */
function withConnection(make: () => WebSocket) {
  const channels = nodeModule("node:diagnostics_channel") as DiagnosticsChannels | undefined;
  let key: string | undefined;
  let connection: SocketConnection | undefined;
  const headersOf = (message: unknown) => String((message as RequestMessage).request?.headers);
  const created = (message: unknown) => {
    // Random for each WebSocket; stays the same if Node repeats the request on another connection.
    key ??= /sec-websocket-key\W+([\w+/]{22}==)/i.exec(headersOf(message))?.[1];
  };
  const sent = (message: unknown) => {
    const { socket } = message as RequestMessage;
    // A connection of HTTP/2 is shared with other requests.
    if (socket?.alpnProtocol === "h2" || !key || !headersOf(message).includes(key)) return;
    connection = socket;
  };
  const stopLooking = () => {
    channels?.unsubscribe(HEADERS_SENT, sent);
  };
  channels?.subscribe(REQUEST_CREATED, created);
  // On an existing connection, the request is sent before the constructor returns.
  channels?.subscribe(HEADERS_SENT, sent);
  try {
    return { socket: make(), connection: () => connection, stopLooking };
  } catch (error) {
    stopLooking();
    throw error;
  } finally {
    channels?.unsubscribe(REQUEST_CREATED, created);
    if (!key) stopLooking();
  }
}
