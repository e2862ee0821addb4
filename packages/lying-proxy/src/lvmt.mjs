// Decodes and encodes proofs of the scheme `lvmt`. The format is in test-vectors/spec/lvmt.md, section 4.

import { bytes, codec, list, optional, record, string, u32, u64, u8, variant } from "./codec.mjs";

const place = record({ block: u64, index: u32 });
const slot = record({ level: u8, number: u8 });

const PROOF = record({
  claims: list(
    variant("kind", {
      present: { slot, place, value: string() },
      deleted: { slot, place },
      "never written": {},
    }),
  ),
  entries: list(bytes(6 * 5)),
  amts: list(bytes(32 + 12 + 1)),
  points: list(bytes(32)),
  owners: list(
    record({ keyHash: bytes(32), version: bytes(5), valueHash: optional(bytes(32)), place }),
  ),
  sizes: list(u32),
  hashes: list(bytes(32)),
});

export const { read: readProof, write: writeProof } = codec(PROOF, 1, 2, 1);

/** The version of a slot in an entry, in 5 bytes. */
export const versionIn = (entry, { number }) => entry.subarray(5 * number, 5 * number + 5);
