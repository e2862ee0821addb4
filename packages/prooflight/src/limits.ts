import type { Arguments } from "./arguments.js";
import { MAX_PROOF_BYTES } from "./registry.js";
import type { Writer } from "./wire.js";

/** Limits of a verifier's input. Each is an integer below 2^32. */
export interface Limits {
  /** Bytes of a proof; of an update in parts, of each part. Default 8 MiB. */
  maxProofBytes?: number | undefined;
  /** Keys of a proof, or storage slots of an answer. Default 4096. */
  maxKeys?: number | undefined;
  /** Bytes of a value. Default 65,536. */
  maxValueBytes?: number | undefined;
}

/** Limits of the input of a history's verifier. */
export interface HistoryLimits extends Limits {
  /** Changes of the history. Default 100,000. */
  maxChanges?: number | undefined;
}

/** Limits of the input of a verifier of `amb`. */
export interface AmbLimits extends HistoryLimits {
  /** Entries that a page of a range shows, also those without a value at the block. Default 4096; not 0. */
  maxEntries?: number | undefined;
}

/** Limits that TypeScript checks too. */
export interface Kept {
  maxProofBytes: number;
  maxKeys: number;
}

const MAX_KEYS = 4096;

const LIMITS = ["maxProofBytes", "maxKeys", "maxValueBytes"] as const;

/** Writes `Limits`. */
export function writeLimits<Name extends string>(
  writer: Writer,
  given: Arguments<Name | "limits">,
): Kept {
  return write(writer, given.optionalObject("limits", LIMITS));
}

/** Writes `HistoryLimits`. */
export function writeHistoryLimits<Name extends string>(
  writer: Writer,
  given: Arguments<Name | "limits">,
): Kept {
  const limits = given.optionalObject("limits", [...LIMITS, "maxChanges"]);
  const kept = write(writer, limits);
  writer.optionalU32(limits.optionalU32("maxChanges"));
  return kept;
}

/** Writes `AmbLimits`. */
export function writeAmbLimits<Name extends string>(
  writer: Writer,
  given: Arguments<Name | "limits">,
): Kept {
  const limits = given.optionalObject("limits", [...LIMITS, "maxChanges", "maxEntries"]);
  const kept = write(writer, limits);
  writer.optionalU32(limits.optionalU32("maxChanges"));
  writer.optionalU32(limits.optionalU32("maxEntries"));
  return kept;
}

function write<Name extends string>(
  writer: Writer,
  limits: Arguments<Name | (typeof LIMITS)[number]>,
): Kept {
  const maxProofBytes = limits.optionalU32("maxProofBytes");
  const maxKeys = limits.optionalU32("maxKeys");
  writer.optionalU32(maxProofBytes);
  writer.optionalU32(maxKeys);
  writer.optionalU32(limits.optionalU32("maxValueBytes"));
  return { maxProofBytes: maxProofBytes ?? MAX_PROOF_BYTES, maxKeys: maxKeys ?? MAX_KEYS };
}
