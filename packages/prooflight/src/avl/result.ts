import type { Bytes } from "../bytes.js";
import { refuse } from "../error.js";
import type { Absent, Present } from "../result.js";
import { Reader } from "../wire.js";

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
  const digest = reader.array(DIGEST_LENGTH);
  return { digest, results: readOldValues(reader, neighbours) };
}

/** Reads `Vec<OldValue>`. */
export function readOldValues(
  reader: Reader,
  neighbours: boolean,
): (Present | Absent | AbsentBetween)[] {
  // A value that many operations found comes once, and its results share it.
  const values: Bytes[] = [];
  return reader.sequence((): Present | Absent | AbsentBetween => {
    switch (reader.u8()) {
      case 0: {
        const value = reader.bytes();
        values.push(value);
        return { kind: "present", value };
      }
      case 1: {
        const previous = reader.optionalBytes();
        const next = reader.optionalBytes();
        return neighbours ? { kind: "absent", previous, next } : { kind: "absent" };
      }
      default: {
        const value = values[reader.u32()];
        if (!value) throw refuse("bug", "a value that came before", "another", { scheme: "avl" });
        return { kind: "present", value };
      }
    }
  });
}
