import type { Bytes } from "../bytes.js";
import { Reader } from "../wire.js";

/** The key had this value. */
export interface Present {
  kind: "present";
  value: Bytes;
}

/** The key had no value. */
export interface Absent {
  kind: "absent";
}

/** The key had no value, and these are the keys around it; `null` at an end of the dictionary. */
export interface AbsentBetween extends Absent {
  /** The largest smaller key. */
  previous: Bytes | null;
  /** The smallest larger key. */
  next: Bytes | null;
}

/** What a proof showed about a batch. */
export interface VerifiedBatch<A extends Absent = Absent> {
  /** The digest of the dictionary after the batch. */
  digest: Bytes;
  /** For each operation what its key had before it. */
  results: (Present | A)[];
}

const DIGEST_LENGTH = 33;

/** Reads a `BatchResponse`. */
export function readBatch(response: Bytes, neighbours: boolean): VerifiedBatch {
  return readResults(new Reader(response), neighbours);
}

/** Reads a `ProofResponse`. */
export function readProvedBatch(response: Bytes): VerifiedBatch & { proof: Bytes } {
  const reader = new Reader(response);
  const proof = reader.bytes();
  return { proof, ...readResults(reader, false) };
}

function readResults(reader: Reader, neighbours: boolean): VerifiedBatch {
  return {
    digest: reader.array(DIGEST_LENGTH),
    results: reader.sequence(() => readOldValue(reader, neighbours)),
  };
}

function readOldValue(reader: Reader, neighbours: boolean): Present | Absent | AbsentBetween {
  if (reader.u8() === 0) return { kind: "present", value: reader.bytes() };
  const previous = reader.optionalBytes();
  const next = reader.optionalBytes();
  return neighbours ? { kind: "absent", previous, next } : { kind: "absent" };
}
