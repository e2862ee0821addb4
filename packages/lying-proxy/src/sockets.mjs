// The parts of the WebSocket protocol that a liar needs.

import { createHash } from "node:crypto";
import { connect } from "node:net";

const TEXT = 0x81;
const CLOSE = 0x88;

/**
 * @typedef {object} Upgrade
 * @property {import("node:http").IncomingMessage} request
 * @property {import("node:net").Socket} socket
 * @property {Buffer} head the bytes after the request
 * @property {URL} target the node
 */

/** Connects client and node. @param {Upgrade} upgrade */
export function passSocketThrough({ request, socket, head, target }) {
  const node = connect(Number(target.port || 80), target.hostname, () => {
    const lines = Object.entries({ ...request.headers, host: target.host });
    const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    node.write(`GET ${target.pathname} HTTP/1.1\r\n${fields}\r\n`);
    node.write(head);
    node.pipe(socket).pipe(node);
  });
  node.on("error", () => socket.destroy());
  node.on("close", () => socket.destroy());
  socket.on("close", () => node.destroy());
}

/**
 * Answers the handshake; returns the socket.
 *
 * @param {Upgrade} upgrade
 * @param {(socket: import("node:net").Socket) => void} [closing] called when the client closes the WebSocket
 */
export function acceptSocket({ request, socket }, closing = (socket) => socket.destroy()) {
  const key = request.headers["sec-websocket-key"];
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
      `sec-websocket-accept: ${accept.digest("base64")}\r\n\r\n`,
  );
  // Ignores everything except the client's close frame.
  socket.on("data", (frames) => {
    for (let at = 0; at < frames.length; at += frameLength(frames, at)) {
      if (frames[at] === CLOSE) closing(socket);
    }
  });
  return socket;
}

/** Sends an empty close frame; the connection stays open. */
export function sendClose(socket) {
  socket.write(Buffer.of(CLOSE, 0));
}

/** Sends a text as one frame; returns false if the socket's buffer is full. */
export function sendText(socket, text) {
  const payload = Buffer.from(text);
  return socket.write(Buffer.concat([frameHead(payload.length), payload]));
}

/** The head of an unfragmented text frame; its length has the shortest of three forms. */
function frameHead(length) {
  if (length < 126) return Buffer.of(TEXT, length);
  if (length < 0x10000) return Buffer.of(TEXT, 126, length >> 8, length & 255);
  const head = Buffer.alloc(10);
  head.set([TEXT, 127]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** The length of a client's frame, which has a mask of 4 bytes, and is not a long one. */
function frameLength(frames, at) {
  const length = frames[at + 1] & 0x7f;
  return 6 + (length < 126 ? length : 2 + frames.readUInt16BE(at + 2));
}
