// WebSockets, as far as a liar needs them.

import { createHash } from "node:crypto";
import { connect } from "node:net";

const TEXT = 0x81;
const CLOSE = 0x88;

/**
 * @typedef {object} Upgrade
 * @property {import("node:http").IncomingMessage} request
 * @property {import("node:net").Socket} socket
 * @property {Buffer} head what came behind the request
 * @property {URL} target the node
 */

/** Lets client and node talk to each other. @param {Upgrade} upgrade */
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
 * Answers the handshake; gives the socket.
 *
 * @param {Upgrade} upgrade
 * @param {(socket: import("node:net").Socket) => void} [closing] what is done when the client closes it
 */
export function acceptSocket({ request, socket }, closing = (socket) => socket.destroy()) {
  const key = request.headers["sec-websocket-key"];
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
      `sec-websocket-accept: ${accept.digest("base64")}\r\n\r\n`,
  );
  // Reads nothing but that the client closes it.
  socket.on("data", (frames) => {
    for (let at = 0; at < frames.length; at += frameLength(frames, at)) {
      if (frames[at] === CLOSE) closing(socket);
    }
  });
  return socket;
}

/** Sends a frame that closes, with nothing in it; the connection stays. */
export function sendClose(socket) {
  socket.write(Buffer.of(CLOSE, 0));
}

/** Sends a text as one frame; false where the socket's buffer is full. */
export function sendText(socket, text) {
  const payload = Buffer.from(text);
  return socket.write(Buffer.concat([frameHead(payload.length), payload]));
}

/** A whole text begins; its length has the shortest of three forms. */
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
