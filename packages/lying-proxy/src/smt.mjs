// Decodes and encodes proofs of the scheme `smt`: of one key, of a key's history, of a diff. The format is in
// test-vectors/spec/smt.md.

import { blake2s } from "@noble/hashes/blake2.js";

const SCHEME = 3;
export const KIND = { proof: 1, history: 2, diff: 3 };

/**
 * A node; `height` is that of the block in which it last changed.
 *
 * @typedef {Closed | Branch | Leaf} Node
 * @typedef {{ height: number, hash: Buffer }} Closed
 * @typedef {{ height: number, depth: number, children: [Node, Node] }} Branch
 *
 * @typedef {object} Leaf its members depend on its form and on the kind of proof
 * @property {number} height
 * @property {"live" | "deleted" | "other live" | "other deleted"} form
 * @property {Buffer} [key]
 * @property {number} [index]
 * @property {Buffer} [value]
 * @property {Buffer} [keyHash]
 * @property {Buffer} [valueHash]
 */

const FORMS = ["live", "deleted", "other live", "other deleted"];

/** The proof of one key at a block: its root, or undefined for the empty tree. @returns {Node | undefined} */
export function readKeyProof(bytes, key, block) {
  const read = new Reader(bytes.subarray(3));
  return readKeyPart(read, hashKey(key), block);
}

export const writeKeyProof = (root, block) =>
  Buffer.concat([envelope(KIND.proof), writePart(root, block, writeProofLeaf)]);

/**
 * The proofs in a history, newest first, each with the block that a verifier assigns to it.
 *
 * @returns {{ block: number, root: Node | undefined, leaf: Leaf | undefined }[]}
 */
export function readHistory(bytes, key, from, to) {
  const read = new Reader(bytes.subarray(3));
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
    ...parts.map(({ root, block }) => writePart(root, block, writeProofLeaf)),
  ]);

/** A diff after block `from`, or after none. @returns {Node | undefined} */
export function readDiff(bytes, from, to) {
  const read = new Reader(bytes.subarray(3));
  const isOpen = (height) => from === undefined || height > from;
  return readPart(read, to, (_, heights) => heights.map(isOpen), readDiffLeaf);
}

export const writeDiff = (root, to) =>
  Buffer.concat([envelope(KIND.diff), writePart(root, to, writeDiffLeaf)]);

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
    salt: u64((BigInt(height) << 12n) | BigInt(depth)),
    personalization: u64(personal),
  });

const hashed = (bytes, options) => Buffer.from(blake2s(bytes, options));

const isOpened = (node) => node.hash === undefined;
const bit = (hash, depth) => (hash[depth >> 3] >> (7 - (depth & 7))) & 1;

const readKeyPart = (read, keyHash, block) =>
  readPart(
    read,
    block,
    (depth) => [0, 1].map((side) => side === bit(keyHash, depth)),
    readProofLeaf,
  );

function readPart(read, block, opens, readLeaf) {
  if (read.isEmpty) return undefined;
  return readNode(read, block - read.integer(), -1, opens, readLeaf);
}

function readNode(read, height, parent, opens, readLeaf) {
  const further = read.u8();
  if (further === 0) return { height, form: FORMS[read.u8()], ...readLeaf(read) };
  const depth = parent + further;
  const tilt = read.integer();
  const older = height - Math.ceil(tilt / 2);
  const heights = tilt % 2 === 0 ? [height, older] : [older, height];
  const opened = opens(depth, heights);
  const hashes = opened.map((open) => (open ? undefined : read.take(32)));
  const children = heights.map((height, side) =>
    opened[side] ? readNode(read, height, depth, opens, readLeaf) : { height, hash: hashes[side] },
  );
  return { height, depth, children };
}

function readProofLeaf(read) {
  switch (FORMS[read.last]) {
    case "live":
      return { index: read.integer(), value: read.string() };
    case "deleted":
      return { index: read.integer() };
    case "other live":
      return { keyHash: read.take(32), valueHash: read.take(32) };
    default:
      return { keyHash: read.take(32) };
  }
}

const readDiffLeaf = (read) =>
  FORMS[read.last] === "live"
    ? { key: read.string(), value: read.string() }
    : { key: read.string() };

function writePart(root, block, writeLeaf) {
  if (!root) return Buffer.of();
  return Buffer.concat([integer(block - root.height), ...writeNode(root, -1, writeLeaf)]);
}

function writeNode(node, parent, writeLeaf) {
  if (node.form) return [Buffer.of(0, FORMS.indexOf(node.form)), ...writeLeaf(node)];
  const { depth, children } = node;
  const [left, right] = children.map(({ height }) => height);
  return [
    Buffer.of(depth - parent),
    integer(left >= right ? 2 * (left - right) : 2 * (right - left) - 1),
    ...children.flatMap(({ hash }) => hash ?? []),
    ...children.filter(isOpened).flatMap((child) => writeNode(child, depth, writeLeaf)),
  ];
}

const writeProofLeaf = ({ index, value, keyHash, valueHash }) => [
  ...(index === undefined ? [] : [integer(index)]),
  ...(value ? string(value) : []),
  ...(keyHash ? [keyHash] : []),
  ...(valueHash ? [valueHash] : []),
];

const writeDiffLeaf = ({ key, value }) => [...string(key), ...(value ? string(value) : [])];

const envelope = (kind) => Buffer.of(1, SCHEME, kind);
const string = (bytes) => [integer(bytes.length), bytes];

function integer(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return Buffer.of(...bytes, value);
}

function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

class Reader {
  #bytes;
  /** The byte that was read last by `u8`. */
  last = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get isEmpty() {
    return this.#bytes.length === 0;
  }

  take(length) {
    if (length > this.#bytes.length) throw new RangeError("the proof is too short");
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  u8() {
    return (this.last = this.take(1)[0]);
  }

  integer() {
    const byte = this.take(1)[0];
    return byte < 0x80 ? byte : (byte & 0x7f) + 0x80 * this.integer();
  }

  string() {
    return this.take(this.integer());
  }
}
