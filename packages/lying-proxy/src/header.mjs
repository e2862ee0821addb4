// Decodes and encodes signed headers. The format is in test-vectors/spec/chain.md, section 1.

/**
 * @typedef {object} SignedHeader
 * @property {number} version
 * @property {Buffer} chain
 * @property {bigint} height
 * @property {Buffer} parent
 * @property {bigint} timestampMs
 * @property {Buffer} opsRoot
 * @property {Buffer} historyRoot
 * @property {{ scheme: number, root: Buffer }[]} roots
 * @property {{ authority: number, signature: Buffer }[]} signatures
 */

/**
 * A header of a reply with changes in its bytes.
 *
 * @param {{ signedHeader: string }} header
 * @param {(header: SignedHeader) => Partial<SignedHeader>} change
 */
export function forge(header, change) {
  const read = readHeader(fromHex(header.signedHeader));
  return { ...header, signedHeader: toHex(writeHeader({ ...read, ...change(read) })) };
}

/** @returns {SignedHeader} */
export function readHeader(bytes) {
  let at = 0;
  const take = (length) => bytes.subarray(at, (at += length));
  const u32 = () => take(4).readUInt32LE();
  const list = (read) => Array.from({ length: u32() }, read);
  return {
    version: take(1)[0],
    chain: take(32),
    height: take(8).readBigUInt64LE(),
    parent: take(32),
    timestampMs: take(8).readBigUInt64LE(),
    opsRoot: take(32),
    historyRoot: take(32),
    roots: list(() => ({ scheme: take(1)[0], root: take(u32()) })),
    signatures: list(() => ({ authority: take(2).readUInt16LE(), signature: take(64) })),
  };
}

/** @param {SignedHeader} header */
export function writeHeader(header) {
  const list = (items, write) => [u32(items.length), ...items.flatMap(write)];
  return Buffer.concat([
    Buffer.of(header.version),
    header.chain,
    u64(header.height),
    header.parent,
    u64(header.timestampMs),
    header.opsRoot,
    header.historyRoot,
    ...list(header.roots, ({ scheme, root }) => [Buffer.of(scheme), u32(root.length), root]),
    ...list(header.signatures, ({ authority, signature }) => [u16(authority), signature]),
  ]);
}

/** The same bytes with one bit of the byte at `at` flipped. */
export function flipped(bytes, at = 0) {
  const copy = Buffer.from(bytes);
  copy[at] ^= 1;
  return copy;
}

export const fromHex = (text) => Buffer.from(text.slice(2), "hex");
export const toHex = (bytes) => `0x${bytes.toString("hex")}`;

const integer = (length, write) => (value) => {
  const bytes = Buffer.alloc(length);
  write(bytes, value);
  return bytes;
};
const u16 = integer(2, (bytes, value) => bytes.writeUInt16LE(value));
const u32 = integer(4, (bytes, value) => bytes.writeUInt32LE(value));
const u64 = integer(8, (bytes, value) => bytes.writeBigUInt64LE(value));
