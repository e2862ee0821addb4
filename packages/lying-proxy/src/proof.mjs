// Decodes and encodes AVL+ proofs of a chain's state. The format is in test-vectors/spec/avl.md, section 3;
// keys have 32 bytes, values any length.

import { ByteReader, u32BigEndian, u8 } from "./codec.mjs";

const LABEL = 3;
const LEAF = 2;
const END = 4;

/**
 * @typedef {{ label: Buffer } | { balance: number } | Leaf} Node
 *
 * @typedef {object} Leaf
 * @property {Buffer} [key] omitted if the previous leaf determines it
 * @property {Buffer} next
 * @property {Buffer} value
 * @property {number} [length] written in place of the value's own
 */

/** The nodes in post-order, and the directions. */
export function readProof(bytes) {
  const from = new ByteReader(bytes);
  const nodes = [];
  for (let tag = u8.read(from); tag !== END; tag = u8.read(from)) {
    if (tag === LABEL) nodes.push({ label: from.take(32) });
    else if (tag === LEAF) nodes.push(readLeaf(from, nodes));
    else nodes.push({ balance: tag });
  }
  return { nodes, directions: bytes.subarray(from.at) };
}

export function writeProof({ nodes, directions }) {
  return Buffer.concat([...nodes.flatMap(writeNode), Buffer.of(END), directions]);
}

function readLeaf(from, nodes) {
  const isGiven = nodes.findLast(({ balance }) => balance === undefined)?.next;
  const key = isGiven ? undefined : from.take(32);
  return { key, next: from.take(32), value: from.take(u32BigEndian.read(from)) };
}

function writeNode(node) {
  if (node.label) return [Buffer.of(LABEL), node.label];
  if (node.balance !== undefined) return [Buffer.of(node.balance)];
  const { key, next, value, length = value.length } = node;
  return [Buffer.of(LEAF), ...(key ? [key] : []), next, ...u32BigEndian.write(length), value];
}

/** The same proof with its leaves changed. @param {(leaf: Leaf) => Partial<Leaf>} change */
export function withLeaves({ nodes, directions }, change) {
  return {
    nodes: nodes.map((node) => (node.next ? { ...node, ...change(node) } : node)),
    directions,
  };
}
