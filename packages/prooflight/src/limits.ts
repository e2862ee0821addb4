import type { Arguments } from "./arguments.js";
import { MAX_PROOF_BYTES } from "./registry.js";
import type { Writer } from "./wire.js";

/** What a verifier is willing to read; each is an integer below 2^32. */
export interface Limits {
  /** Bytes of a proof, all its parts together. Default 8 MiB. */
  maxProofBytes?: number | undefined;
  /** Keys of a proof, or storage slots of an answer. Default 4096. */
  maxKeys?: number | undefined;
  /** Bytes of a value. Default 65,536. */
  maxValueBytes?: number | undefined;
}

/** Limits that are looked at on this side too. */
export interface Kept {
  maxProofBytes: number;
  maxKeys: number;
}

const MAX_KEYS = 4096;

/** Writes `Limits`. */
export function writeLimits<Name extends string>(
  writer: Writer,
  given: Arguments<Name | "limits">,
): Kept {
  const limits = given.optionalObject("limits", ["maxProofBytes", "maxKeys", "maxValueBytes"]);
  const maxProofBytes = limits.optionalU32("maxProofBytes");
  const maxKeys = limits.optionalU32("maxKeys");
  writer.optionalU32(maxProofBytes);
  writer.optionalU32(maxKeys);
  writer.optionalU32(limits.optionalU32("maxValueBytes"));
  return { maxProofBytes: maxProofBytes ?? MAX_PROOF_BYTES, maxKeys: maxKeys ?? MAX_KEYS };
}
