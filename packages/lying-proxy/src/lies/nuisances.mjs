// Behaviour that is not a lie and must not harm a client. There is nothing to refuse, so `/lies` does not
// list it.

import { acceptSocket, sendClose, sendText } from "../sockets.mjs";
import { toHex } from "../header.mjs";

/**
 * @typedef {object} Nuisance
 * @property {string} name the first segment of the URL's path
 * @property {(call: import("./index.mjs").Call) => Promise<unknown>} [result]
 * @property {(upgrade: import("../sockets.mjs").Upgrade) => void} [upgrade] handles a WebSocket
 */

/** @type {Nuisance[]} */
export const nuisances = [
  {
    // Members beside the verified bytes are for people; a client must not rely on them.
    name: "wrong-remarks",
    result: async ({ honest }) => honest && withRemarks(honest),
  },
  {
    name: "socket-flood",
    upgrade: (upgrade) => {
      const socket = acceptSocket(upgrade);
      const flood = () => {
        if (!socket.writable) return;
        for (let sent = 0; sent < 1000; sent++) sendText(socket, "junk");
        if (socket.writableNeedDrain) socket.once("drain", flood);
        else setImmediate(flood);
      };
      flood();
    },
  },
  {
    name: "socket-huge",
    upgrade: (upgrade) => {
      sendText(acceptSocket(upgrade), "junk".repeat(4 << 20));
    },
  },
  {
    name: "socket-silent",
    upgrade: (upgrade) => {
      acceptSocket(upgrade);
    },
  },
  {
    // When the client closes the WebSocket, this side closes neither it nor the connection.
    name: "socket-deaf",
    upgrade: (upgrade) => {
      acceptSocket(upgrade, () => undefined);
    },
  },
  {
    // The WebSocket is closed properly, but the connection stays open.
    name: "socket-lingering",
    upgrade: (upgrade) => {
      acceptSocket(upgrade, sendClose);
    },
  },
  {
    name: "socket-closing",
    upgrade: (upgrade) => {
      acceptSocket(upgrade).end();
    },
  },
  {
    name: "socket-refused",
    upgrade: ({ socket }) => {
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    },
  },
  {
    // The handshake is never answered.
    name: "socket-pending",
    upgrade: () => undefined,
  },
];

/** The same bytes, with false values in all other members. */
function withRemarks(value) {
  if (Array.isArray(value)) return value.map(withRemarks);
  if (typeof value !== "object" || value === null) return value;
  const changed = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withRemarks(member)]),
  );
  if (!("signedHeader" in value)) return changed;
  const zeros = toHex(Buffer.alloc(32));
  const roots = { avl: zeros, smt: zeros };
  return { ...changed, height: 2 ** 53, hash: zeros, parent: null, timestampMs: "soon", roots };
}
