// Decodes and encodes proofs of the scheme `lmpt`. The format is in test-vectors/spec/lmpt.md, section 3.

import { keccak_256 } from "@noble/hashes/sha3.js";

import { codec, list, record, string } from "./codec.mjs";

const nodes = list(string());

/** The nodes of each layer, in RLP. */
const PROOF = record({ delta: nodes, intermediate: nodes, snapshot: nodes });

export const { read: readProof, write: writeProof } = codec(PROOF, 1, 5, 1);

/** The path of a key in every layer. */
export const pathOf = (key) => Buffer.from(keccak_256(key)).toString("hex");

/** The leaf at the end of a key's path; undefined if the last of these nodes is not this leaf. */
export function leafOf(nodes, key) {
  const leaf = nodes.length > 0 ? strings(nodes.at(-1)) : [];
  const [end, value] = leaf;
  if (leaf.length !== 2 || end[0] < 0x20) return undefined;
  const nibbles = end.toString("hex").slice(end[0] & 0x10 ? 1 : 2);
  return pathOf(key).endsWith(nibbles) ? { end, value } : undefined;
}

/** The RLP of a leaf. */
export function writeLeaf({ end, value }) {
  const content = Buffer.concat([end, value].map(writeString));
  return Buffer.concat([head(0xc0, content.length), content]);
}

/** The strings of an RLP list; empty if it contains a list. */
function strings(node) {
  const found = [];
  for (let at = node[0] < 0xf8 ? 1 : node[0] - 0xf6; at < node.length;) {
    const first = node[at];
    if (first >= 0xc0) return [];
    const long = Math.max(0, first - 0xb7);
    const start = first < 0x80 ? at : at + 1 + long;
    const length = first < 0x80 ? 1 : long === 0 ? first - 0x80 : node.readUIntBE(at + 1, long);
    found.push(node.subarray(start, start + length));
    at = start + length;
  }
  return found;
}

const writeString = (bytes) =>
  bytes.length === 1 && bytes[0] < 0x80 ? bytes : Buffer.concat([head(0x80, bytes.length), bytes]);

/** The first bytes of a string or list of this length. */
function head(kind, length) {
  if (length < 56) return Buffer.of(kind + length);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.of(kind + 55 + bytes.length), bytes]);
}
