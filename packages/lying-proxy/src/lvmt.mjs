// Decodes and encodes proofs of the scheme `lvmt`. The format is in test-vectors/spec/lvmt.md, section 4.

/**
 * @typedef {{ block: bigint, index: number }} Place
 *
 * @typedef {object} Claim
 * @property {"present" | "deleted" | "never written"} kind
 * @property {{ level: number, number: number }} [slot]
 * @property {Place} [place]
 * @property {Buffer} [value]
 *
 * @typedef {object} Proof
 * @property {Claim[]} claims
 * @property {Buffer[]} entries
 * @property {Buffer[]} amts
 * @property {Buffer[]} points
 * @property {{ keyHash: Buffer, version: Buffer, valueHash?: Buffer, place: Place }[]} owners
 * @property {number[]} sizes
 * @property {Buffer[]} hashes
 */

const KINDS = ["present", "deleted", "never written"];
const ENVELOPE = Buffer.of(1, 2, 1);
const ENTRY_BYTES = 6 * 5;
const AMT_BYTES = 32 + 12 + 1;

/** @returns {Proof} */
export function readProof(bytes) {
  let at = ENVELOPE.length;
  const take = (length) => bytes.subarray(at, (at += length));
  const u8 = () => take(1)[0];
  const u32 = () => take(4).readUInt32LE();
  const list = (read) => Array.from({ length: u32() }, read);
  const place = () => ({ block: take(8).readBigUInt64LE(), index: u32() });
  const claim = () => {
    const kind = KINDS[u8()];
    if (kind === "never written") return { kind };
    const told = { kind, slot: { level: u8(), number: u8() }, place: place() };
    return kind === "present" ? { ...told, value: take(u32()) } : told;
  };
  return {
    claims: list(claim),
    entries: list(() => take(ENTRY_BYTES)),
    amts: list(() => take(AMT_BYTES)),
    points: list(() => take(32)),
    owners: list(() => ({
      keyHash: take(32),
      version: take(5),
      valueHash: u8() === 1 ? take(32) : undefined,
      place: place(),
    })),
    sizes: list(u32),
    hashes: list(() => take(32)),
  };
}

/** @param {Proof} proof */
export function writeProof({ claims, entries, amts, points, owners, sizes, hashes }) {
  const list = (items, write = (item) => [item]) => [u32(items.length), ...items.flatMap(write)];
  const place = ({ block, index }) => [u64(block), u32(index)];
  const claim = ({ kind, slot, place: where, value }) => [
    Buffer.of(KINDS.indexOf(kind)),
    ...(slot ? [Buffer.of(slot.level, slot.number), ...place(where)] : []),
    ...(value ? [u32(value.length), value] : []),
  ];
  return Buffer.concat([
    ENVELOPE,
    ...list(claims, claim),
    ...list(entries),
    ...list(amts),
    ...list(points),
    ...list(owners, ({ keyHash, version, valueHash, place: where }) => [
      keyHash,
      version,
      ...(valueHash ? [Buffer.of(1), valueHash] : [Buffer.of(0)]),
      ...place(where),
    ]),
    ...list(sizes, (size) => [u32(size)]),
    ...list(hashes),
  ]);
}

/** The version of a slot in an entry, in 5 bytes. */
export const versionIn = (entry, { number }) => entry.subarray(5 * number, 5 * number + 5);

function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
