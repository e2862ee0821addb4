// What a server may do without telling a lie, and what must not harm a client. There is nothing to
// refuse, so `/lies` does not have them.

import { acceptSocket, sendClose, sendText } from "../sockets.mjs";
import { toHex } from "../header.mjs";

/**
 * @typedef {object} Nuisance
 * @property {string} name the first segment of the URL's path
 * @property {(call: import("./index.mjs").Call) => Promise<unknown>} [result]
 * @property {(upgrade: import("../sockets.mjs").Upgrade) => void} [upgrade] what is done with a WebSocket
 */

/** @type {Nuisance[]} */
export const nuisances = [
  {
    // What replies say beside the bytes is for people, and nobody's business to believe.
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
    // What the client closes is not closed on this side, nor is the connection.
    name: "socket-deaf",
    upgrade: (upgrade) => {
      acceptSocket(upgrade, () => undefined);
    },
  },
  {
    // The WebSocket is closed as it should be, and the connection kept.
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

/** The same bytes, beside them nothing that is true. */
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
