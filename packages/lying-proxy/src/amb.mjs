// Decodes and encodes pages and counts of the scheme `amb`, of a state after the block of the root. The format is in
// test-vectors/spec/amb.md, sections 4 to 6.

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
 * @param {Buffer} bytes
 * @param {{ lo?: string, hi?: string, reverse?: boolean }} params of the call
 * @returns {Page}
 */
export function readPage(bytes, { lo = "0x", hi, reverse = false }) {
  const read = new Reader(bytes.subarray(3));
  const cut = read.take(1)[0] === 0 ? undefined : read.bytes();
  const [from, to] = [fromHex(lo), hi ? fromHex(hi) : undefined];
  const page = reverse ? { first: cut ?? from, end: to } : { first: from, end: cut ?? to };
  return { cut, root: readNode(read, "", asked(page)) };
}

/** @param {Page} page */
export const writePage = ({ cut, root }) =>
  Buffer.concat([
    ENVELOPE.range,
    ...(cut ? [Buffer.of(1), integer(cut.length), cut] : [Buffer.of(0)]),
    ...writeNode(root),
  ]);

/** The root of a count's tree. */
export function readCount(bytes, { lo = "0x", hi }) {
  const page = { first: fromHex(lo), end: hi ? fromHex(hi) : undefined };
  return readNode(new Reader(bytes.subarray(3)), "", {
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
  const tag = read.integer();
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
  const [live, dead] = [read.integer(), read.integer()];
  return live + dead === 0
    ? { live, dead }
    : { live, dead, age: read.integer(), hash: read.take(32) };
}

function readLeaf(read, way, page) {
  const key = Buffer.concat([bytesOf(way), read.bytes()]);
  const [versions, age] = [read.integer(), read.integer()];
  const start = read.at;
  const live = read.take(1)[0] === 1;
  const shown = page.has(key);
  const value = live && shown ? read.bytes() : undefined;
  if (live && !shown) read.take(32);
  if (versions > 1) read.take(32);
  return { way, key, versions, age, value, rest: read.since(start) };
}

function writeNode(node) {
  if (node.children) {
    return [integer(node.tag), node.label, ...node.children.flatMap(writeNode)];
  }
  if (node.key) {
    const part = node.key.subarray(Math.floor(node.way.length / 9));
    const head = [1, part.length].map(integer);
    return [...head, part, integer(node.versions), integer(node.age), node.rest];
  }
  const { live, dead, age, hash, tagged } = node;
  return [
    ...(tagged ? [integer(0)] : []),
    ...[live, dead].map(integer),
    ...(hash ? [integer(age), hash] : []),
  ];
}

/** What follows the age of a leaf, with another value. */
export function withValue(leaf, value) {
  const { versions, rest } = leaf;
  const past = versions > 1 ? rest.subarray(-32) : Buffer.alloc(0);
  return {
    ...leaf,
    value,
    rest: Buffer.concat([Buffer.of(1), integer(value.length), value, past]),
  };
}

/** Seven bits a byte, the lowest first. */
export function integer(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return Buffer.of(...bytes, value);
}

const fromHex = (hex) => Buffer.from(hex.slice(2), "hex");

class Reader {
  at = 0;
  #bytes;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  take(length) {
    if (this.at + length > this.#bytes.length) throw new RangeError("the proof is truncated");
    return this.#bytes.subarray(this.at, (this.at += length));
  }

  since(start) {
    return this.#bytes.subarray(start, this.at);
  }

  integer() {
    let [value, unit] = [0, 1];
    for (;;) {
      const byte = this.take(1)[0];
      value += (byte % 128) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
  }

  bytes() {
    return this.take(this.integer());
  }
}
