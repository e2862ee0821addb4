// Decodes and encodes pages and counts of the scheme `amb`, of a state after the block of the root. The format is in
// test-vectors/spec/amb.md, sections 4 to 6.

import { ByteReader, integer, optional, string, u8 } from "./codec.mjs";
import { fromHex } from "./header.mjs";

const CUT = optional(string(integer));
const ENVELOPE = { range: Buffer.of(1, 6, 3), count: Buffer.of(1, 6, 4) };

/**
 * A node, with its way: the bits that lead to it, as text.
 *
 * @typedef {Closed | Branch | Leaf} Node
 * @typedef {{ way: string, tagged: boolean, live: number, dead: number, age?: number, hash?: Buffer }} Closed
 * @typedef {{ way: string, tag: number, label: Buffer, children: [Node, Node] }} Branch
 *
 * @typedef {object} Leaf
 * @property {string} way
 * @property {Buffer} key
 * @property {number} versions
 * @property {number} age
 * @property {Buffer | undefined} value shown; undefined if it is deleted, or only its hash is shown
 * @property {Buffer} rest what follows the age, in its encoding
 *
 * @typedef {{ cut: Buffer | undefined, root: Node }} Page
 */

/**
 * Reads the page of a range.
 *
 * @param {Buffer} encoded
 * @param {{ lo?: string, hi?: string, reverse?: boolean }} params of the call
 * @returns {Page}
 */
export function readPage(encoded, { lo = "0x", hi, reverse = false }) {
  const read = new ByteReader(encoded.subarray(3));
  const cut = CUT.read(read);
  const [from, to] = [fromHex(lo), hi ? fromHex(hi) : undefined];
  const page = reverse ? { first: cut ?? from, end: to } : { first: from, end: cut ?? to };
  return { cut, root: readNode(read, "", asked(page)) };
}

/** @param {Page} page */
export const writePage = ({ cut, root }) =>
  Buffer.concat([ENVELOPE.range, ...CUT.write(cut), ...writeNode(root)]);

/** The root of a count's tree. */
export function readCount(encoded, { lo = "0x", hi }) {
  const page = { first: fromHex(lo), end: hi ? fromHex(hi) : undefined };
  return readNode(new ByteReader(encoded.subarray(3)), "", {
    ...asked(page),
    covered: covered(page),
    // No leaf of a count shows its value.
    has: () => false,
  });
}

export const writeCount = (root) => Buffer.concat([ENVELOPE.count, ...writeNode(root)]);

/** The same tree with each node changed, children first. */
export function mapNodes(node, change) {
  if (!node.children) return change(node);
  return change({ ...node, children: node.children.map((child) => mapNodes(child, change)) });
}

/** The leaves of a page, ascending by key. */
export const leavesOf = (node) =>
  node.children ? node.children.flatMap(leavesOf) : node.key ? [node] : [];

/** Which ways a question meets. */
export const meets = ({ lo = "0x", hi }) =>
  asked({ first: fromHex(lo), end: hi ? fromHex(hi) : undefined }).met;

/** Which ways a page meets, and which keys it has. */
function asked({ first, end }) {
  const [from, to] = [bitsOf(first), end && bitsOf(end)];
  return {
    met: (way) =>
      padded(way, "1") >= padded(from, "0") && (!to || padded(way, "0") < padded(to, "0")),
    has: (key) => Buffer.compare(first, key) <= 0 && (!end || Buffer.compare(key, end) < 0),
    covered: () => false,
  };
}

const covered = ({ first, end }) => {
  const [from, to] = [padded(bitsOf(first), "0"), end && padded(bitsOf(end), "0")];
  return (way) => padded(way, "0") >= from && (!to || padded(way, "1") < to);
};

/** The bits of a key: before each byte a 1. */
const bitsOf = (key) => [...key].map((byte) => `1${byte.toString(2).padStart(8, "0")}`).join("");

/** More bits than any key or bound has. */
const padded = (bits, bit) => bits.padEnd(9 * 258, bit);

function readNode(read, way, page) {
  if (!page.met(way) || page.covered(way)) return { ...readRecord(read), way, tagged: false };
  const tag = integer.read(read);
  if (tag === 0) return { ...readRecord(read), way, tagged: true };
  if (tag === 1) return readLeaf(read, way, page);
  const depth = way.length + tag - 2;
  const [bytes, bits] = [Math.floor(depth / 9), depth % 9];
  const whole = Math.floor(way.length / 9);
  const label = tag === 2 ? Buffer.alloc(0) : read.take(bytes + (bits >= 2 ? 1 : 0) - whole);
  const known = Buffer.concat([bytesOf(way), label]);
  const prefix = tag === 2 ? way : (bitsOf(known) + "1").slice(0, depth);
  const left = readNode(read, `${prefix}0`, page);
  return { way, tag, label, children: [left, readNode(read, `${prefix}1`, page)] };
}

/** The bytes that a way has completely. */
const bytesOf = (way) =>
  Buffer.from((way.match(/.{9}/g) ?? []).map((bits) => Number.parseInt(bits.slice(1), 2)));

function readRecord(read) {
  const [live, dead] = [integer.read(read), integer.read(read)];
  return live + dead === 0
    ? { live, dead }
    : { live, dead, age: integer.read(read), hash: read.take(32) };
}

function readLeaf(read, way, page) {
  const key = Buffer.concat([bytesOf(way), string(integer).read(read)]);
  const [versions, age] = [integer.read(read), integer.read(read)];
  const start = read.at;
  const live = u8.read(read) === 1;
  const shown = page.has(key);
  const value = live && shown ? string(integer).read(read) : undefined;
  if (live && !shown) read.take(32);
  if (versions > 1) read.take(32);
  return { way, key, versions, age, value, rest: read.since(start) };
}

function writeNode(node) {
  if (node.children) {
    return [...integer.write(node.tag), node.label, ...node.children.flatMap(writeNode)];
  }
  if (node.key) {
    const part = node.key.subarray(Math.floor(node.way.length / 9));
    const head = [1, part.length].flatMap(integer.write);
    return [...head, part, ...[node.versions, node.age].flatMap(integer.write), node.rest];
  }
  const { live, dead, age, hash, tagged } = node;
  return [
    ...(tagged ? [Buffer.of(0)] : []),
    ...[live, dead].flatMap(integer.write),
    ...(hash ? [...integer.write(age), hash] : []),
  ];
}

/** What follows the age of a leaf, with another value. */
export function withValue(leaf, value) {
  const { versions, rest } = leaf;
  const past = versions > 1 ? rest.subarray(-32) : Buffer.alloc(0);
  return {
    ...leaf,
    value,
    rest: Buffer.concat([Buffer.of(1), ...string(integer).write(value), past]),
  };
}
