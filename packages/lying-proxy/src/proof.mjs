// Decodes and encodes AVL+ proofs of a chain's state. The format is in test-vectors/spec/avl.md, section 3;
// keys have 32 bytes, values any length.

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
 *
 * @typedef {object} Proof
 * @property {Node[]} nodes in post-order
 * @property {Buffer} directions
 */

/** @returns {Proof} */
export function readProof(bytes) {
  let at = 0;
  const take = (length) => bytes.subarray(at, (at += length));
  const nodes = [];
  let keyIsGiven = false;
  for (let tag = take(1)[0]; tag !== END; tag = take(1)[0]) {
    if (tag === LABEL) {
      nodes.push({ label: take(32) });
      keyIsGiven = false;
    } else if (tag === LEAF) {
      const key = keyIsGiven ? undefined : take(32);
      const next = take(32);
      nodes.push({ key, next, value: take(take(4).readUInt32BE()) });
      keyIsGiven = true;
    } else {
      nodes.push({ balance: tag });
    }
  }
  return { nodes, directions: bytes.subarray(at) };
}

/** @param {Proof} proof */
export function writeProof({ nodes, directions }) {
  return Buffer.concat([...nodes.flatMap(writeNode), Buffer.of(END), directions]);
}

function writeNode(node) {
  if (node.label) return [Buffer.of(LABEL), node.label];
  if (node.balance !== undefined) return [Buffer.of(node.balance)];
  const length = Buffer.alloc(4);
  length.writeUInt32BE(node.length ?? node.value.length);
  return [Buffer.of(LEAF), ...(node.key ? [node.key] : []), node.next, length, node.value];
}

/**
 * The same proof with its leaves changed.
 *
 * @param {Proof} proof
 * @param {(leaf: Leaf) => Partial<Leaf> & { length?: number }} change `length` is written in place of
 *   the value's own
 */
export function withLeaves({ nodes, directions }, change) {
  return {
    nodes: nodes.map((node) => (node.next ? { ...node, ...change(node) } : node)),
    directions,
  };
}
