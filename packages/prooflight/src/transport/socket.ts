/** A WebSocket that can be ended without the server's cooperation. */

import { nodeModule } from "../platform.js";

/** The time that a server has to close its side, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1000;

export interface OpenSocket {
  socket: WebSocket;
  /** Closes the WebSocket. In Node, also destroys the connection if the server leaves it open. */
  end: () => void;
}

/**
 * Opens a WebSocket. In Node, `close()` alone waits for the server without a limit, which keeps the process alive.
 * Browsers have a limit of their own.
 *
 * Throws if there are headers and the platform cannot send them: browsers take only protocols as second argument.
 */
export function openSocket(
  url: string,
  WebSocket: typeof globalThis.WebSocket,
  headers: Readonly<Record<string, string>>,
): OpenSocket {
  const more = Object.keys(headers).length === 0 ? [] : [{ headers } as unknown as string[]];
  const { socket, connection, forget } = observed(() => new WebSocket(url, ...more));
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
    // Node destroys the connection itself if the WebSocket has not opened.
    const mine = opened ? connection() : undefined;
    if (!mine) return;
    const timer: { unref?: () => void } = setTimeout(() => {
      mine.destroy();
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
const CREATED = "undici:request:create";
const SENT = "undici:client:sendHeaders";

/**
 * Makes a WebSocket and finds its connection by Node's diagnostics, since no other API gives it. `forget` stops
 * looking for it. Without such diagnostics, `connection` gives undefined.
 */
function observed(make: () => WebSocket) {
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
  const forget = () => {
    channels?.unsubscribe(SENT, sent);
  };
  channels?.subscribe(CREATED, created);
  // On an existing connection, the request is sent before the constructor returns.
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
