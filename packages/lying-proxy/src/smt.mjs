// Decodes and encodes proofs of the scheme `smt`: of one key, of a key's history, of a diff. The format is in
// test-vectors/spec/smt.md.

import { blake2s } from "@noble/hashes/blake2.js";

import { ByteReader, bytes, integer, string, u64, u8, variant } from "./codec.mjs";

const SCHEME = 3;
const KIND = { proof: 1, history: 2, diff: 3 };

/**
 * A node; `height` is that of the block in which it last changed.
 *
 * @typedef {Closed | Branch | Leaf} Node
 * @typedef {{ height: number, hash: Buffer }} Closed
 * @typedef {{ height: number, depth: number, children: [Node, Node] }} Branch
 * @typedef {{ height: number, form: string }} Leaf with the members of its form and of the kind of proof
 */

const proofLeaf = variant("form", {
  live: { index: integer, value: string(integer) },
  deleted: { index: integer },
  "other live": { keyHash: bytes(32), valueHash: bytes(32) },
  "other deleted": { keyHash: bytes(32) },
});
const diffLeaf = variant("form", {
  live: { key: string(integer), value: string(integer) },
  deleted: { key: string(integer) },
});

/** The proof of one key at a block: its root, or undefined for the empty tree. @returns {Node | undefined} */
export function readKeyProof(encoded, key, block) {
  const read = new ByteReader(encoded.subarray(3));
  return readKeyPart(read, hashKey(key), block);
}

export const writeKeyProof = (root, block) =>
  Buffer.concat([envelope(KIND.proof), writePart(root, block, proofLeaf)]);

/**
 * The proofs in a history, newest first, each with the block that a verifier assigns to it.
 *
 * @returns {{ block: number, root: Node | undefined, leaf: Leaf | undefined }[]}
 */
export function readHistory(encoded, key, from, to) {
  const read = new ByteReader(encoded.subarray(3));
  const parts = [];
  for (let block = to; ;) {
    const root = readKeyPart(read, hashKey(key), block);
    const leaf = root && leafOf(root);
    parts.push({ block, root, leaf });
    if (!isChange({ leaf }, from) || leaf.height === from) return parts;
    block = leaf.height - 1;
  }
}

/** Whether a part of a history shows a change in the range. */
export const isChange = ({ leaf }, from) =>
  leaf !== undefined && !leaf.form.startsWith("other") && leaf.height >= from;

/** Writes the roots of a history's parts, each as a proof about its block. */
export const writeHistory = (parts) =>
  Buffer.concat([
    envelope(KIND.history),
    ...parts.map(({ root, block }) => writePart(root, block, proofLeaf)),
  ]);

/** A diff after block `from`, or after none. @returns {Node | undefined} */
export function readDiff(encoded, from, to) {
  const read = new ByteReader(encoded.subarray(3));
  const isOpen = (height) => from === undefined || height > from;
  return readPart(read, to, (_, heights) => heights.map(isOpen), diffLeaf);
}

export const writeDiff = (root, to) =>
  Buffer.concat([envelope(KIND.diff), writePart(root, to, diffLeaf)]);

/** The leaf at the end of the only opened path. @returns {Leaf} */
export const leafOf = (node) => (node.form ? node : leafOf(node.children.find(isOpened)));

/**
 * The same tree with each of its leaves changed; each branch gets the height of its newer child.
 *
 * @param {Node} node
 * @param {(leaf: Leaf) => Node} change
 */
export function withLeaves(node, change) {
  if (node.form) return change(node);
  if (node.hash) return node;
  const children = node.children.map((child) => withLeaves(child, change));
  return { ...node, children, height: Math.max(...children.map(({ height }) => height)) };
}

/** The same tree rearranged for another key: the opened child of each branch is on that key's side. */
export function onWayOf(key, node) {
  if (!node.children) return node;
  const opened = node.children.find(isOpened);
  const closed = node.children.find((child) => child !== opened);
  const children = [onWayOf(key, opened), closed];
  return { ...node, children: bit(hashKey(key), node.depth) ? children.reverse() : children };
}

/** Whether a leaf with this key is off the path of another key. */
export const isOffWay = (node, key, keyHash) =>
  node.children !== undefined &&
  (bit(keyHash, node.depth) !== bit(hashKey(key), node.depth) ||
    isOffWay(node.children.find(isOpened), key, keyHash));

/** The hash of a node of a diff. */
export function hashOf(node) {
  if (node.hash) return node.hash;
  if (node.form) {
    const live = node.form === "live";
    const hashes = [hashKey(node.key), live ? hashValue(node.value) : Buffer.alloc(32)];
    return hashNode(hashes, node.height, 0xfff, live ? 0x010n : 0x011n);
  }
  const heights = node.children.map(({ height }) => height);
  const tag = heights[0] >= heights[1] ? 0x001n : 0x002n;
  const personal = (BigInt(Math.min(...heights)) << 12n) | tag;
  return hashNode(node.children.map(hashOf), Math.max(...heights), node.depth, personal);
}

export const hashKey = (key) => hashed(key, { personalization: Buffer.from("PLsmtKey") });
const hashValue = (value) => hashed(value, { personalization: Buffer.from("PLsmtVal") });

const hashNode = (hashes, height, depth, personal) =>
  hashed(Buffer.concat(hashes), {
    salt: u64.write((BigInt(height) << 12n) | BigInt(depth))[0],
    personalization: u64.write(personal)[0],
  });

const hashed = (text, options) => Buffer.from(blake2s(text, options));

const isOpened = (node) => node.hash === undefined;
const bit = (hash, depth) => (hash[depth >> 3] >> (7 - (depth & 7))) & 1;

const readKeyPart = (read, keyHash, block) =>
  readPart(read, block, (depth) => [0, 1].map((side) => side === bit(keyHash, depth)), proofLeaf);

function readPart(read, block, opens, leaf) {
  if (read.isEmpty) return undefined;
  return readNode(read, block - integer.read(read), -1, opens, leaf);
}

function readNode(read, height, parent, opens, leaf) {
  const further = u8.read(read);
  if (further === 0) return { height, ...leaf.read(read) };
  const depth = parent + further;
  const tilt = integer.read(read);
  const older = height - Math.ceil(tilt / 2);
  const heights = tilt % 2 === 0 ? [height, older] : [older, height];
  const opened = opens(depth, heights);
  const hashes = opened.map((open) => (open ? undefined : read.take(32)));
  const children = heights.map((height, side) =>
    opened[side] ? readNode(read, height, depth, opens, leaf) : { height, hash: hashes[side] },
  );
  return { height, depth, children };
}

function writePart(root, block, leaf) {
  if (!root) return Buffer.of();
  return Buffer.concat([...integer.write(block - root.height), ...writeNode(root, -1, leaf)]);
}

function writeNode(node, parent, leaf) {
  if (node.form) return [Buffer.of(0), ...leaf.write(node)];
  const { depth, children } = node;
  const [left, right] = children.map(({ height }) => height);
  return [
    Buffer.of(depth - parent),
    ...integer.write(left >= right ? 2 * (left - right) : 2 * (right - left) - 1),
    ...children.flatMap(({ hash }) => hash ?? []),
    ...children.filter(isOpened).flatMap((child) => writeNode(child, depth, leaf)),
  ];
}

const envelope = (kind) => Buffer.of(1, SCHEME, kind);
