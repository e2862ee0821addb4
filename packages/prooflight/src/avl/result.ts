import type { Bytes } from "../bytes.js";
import { refuse } from "../error.js";
import type { Absent, Present } from "../state.js";
import { Reader } from "../wire.js";

/** The key was absent. `previous` and `next` are its neighbours, or `null` at an end of the dictionary. */
export interface AbsentBetween extends Absent {
  /** The largest smaller key. */
  previous: Bytes | null;
  /** The smallest larger key. */
  next: Bytes | null;
}

/** The verified results of a batch. */
export interface VerifiedBatch<A extends Absent = Absent> {
  /** The digest of the dictionary after the batch. */
  digest: Bytes;
  /** The previous value of the key of each operation. */
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
  // A value is sent once, and shared by all results that have it.
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
