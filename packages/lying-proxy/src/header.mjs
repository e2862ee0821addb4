// Decodes and encodes signed headers. The format is in test-vectors/spec/chain.md, section 1.

import { bytes, codec, list, record, string, u16, u32, u64, u8 } from "./codec.mjs";

const SIGNED_HEADER = record({
  version: u8,
  chain: bytes(32),
  height: u64,
  parent: bytes(32),
  timestampMs: u64,
  opsRoot: bytes(32),
  historyRoot: bytes(32),
  roots: list(record({ scheme: u8, root: string(u32) })),
  signatures: list(record({ authority: u16, signature: bytes(64) })),
});

export const { read: readHeader, write: writeHeader } = codec(SIGNED_HEADER);

/**
 * A header of a reply with changes in its bytes.
 *
 * @param {{ signedHeader: string }} header
 * @param {(header: object) => object} change the members to replace, of those of a signed header
 */
export function forge(header, change) {
  const read = readHeader(fromHex(header.signedHeader));
  return { ...header, signedHeader: toHex(writeHeader({ ...read, ...change(read) })) };
}

/** The same bytes with one bit of the byte at `at` flipped. */
export function flipped(bytes, at = 0) {
  const copy = Buffer.from(bytes);
  copy[at] ^= 1;
  return copy;
}

export const fromHex = (text) => Buffer.from(text.slice(2), "hex");
export const toHex = (bytes) => `0x${bytes.toString("hex")}`;
