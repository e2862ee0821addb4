/** Limits of the verifiers' inputs. */

import { type Arguments, invalid } from "./arguments.js";
import { BYTES, viewOf } from "./bytes.js";
import { describe, refuse } from "./error.js";
import { MAX_PROOF_BYTES } from "./registry.js";
import type { Scheme } from "./schemes.js";
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
export interface CheckedLimits {
  maxProofBytes: number;
  maxKeys: number;
}

const MAX_KEYS = 4096;

const LIMITS = ["maxProofBytes", "maxKeys", "maxValueBytes"] as const;

/** Writes `Limits`. */
export function writeLimits<Name extends string>(
  writer: Writer,
  given: Arguments<Name | "limits">,
): CheckedLimits {
  return writeCommon(writer, given.optionalObject("limits", LIMITS));
}

/** Writes `HistoryLimits`. */
export function writeHistoryLimits<Name extends string>(
  writer: Writer,
  given: Arguments<Name | "limits">,
): CheckedLimits {
  const limits = given.optionalObject("limits", [...LIMITS, "maxChanges"]);
  const kept = writeCommon(writer, limits);
  writer.optionalU32(limits.optionalU32("maxChanges"));
  return kept;
}

/** Writes `AmbLimits`. */
export function writeAmbLimits<Name extends string>(
  writer: Writer,
  given: Arguments<Name | "limits">,
): CheckedLimits {
  const limits = given.optionalObject("limits", [...LIMITS, "maxChanges", "maxEntries"]);
  const kept = writeCommon(writer, limits);
  writer.optionalU32(limits.optionalU32("maxChanges"));
  writer.optionalU32(limits.optionalU32("maxEntries"));
  return kept;
}

function writeCommon<Name extends string>(
  writer: Writer,
  limits: Arguments<Name | (typeof LIMITS)[number]>,
): CheckedLimits {
  const maxProofBytes = limits.optionalU32("maxProofBytes");
  const maxKeys = limits.optionalU32("maxKeys");
  writer.optionalU32(maxProofBytes);
  writer.optionalU32(maxKeys);
  writer.optionalU32(limits.optionalU32("maxValueBytes"));
  return { maxProofBytes: maxProofBytes ?? MAX_PROOF_BYTES, maxKeys: maxKeys ?? MAX_KEYS };
}

/** The most bytes of a list's items together; each counts at least 4. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/**
 * Writes a list of byte strings: each with its length, or all of one `length`.
 *
 * Throws `proof_too_large` before it copies more than 64 MiB: a server may have sent them, and wasm's memory
 * never shrinks.
 */
export function writeItems(
  request: Writer,
  items: readonly unknown[],
  name: string,
  { scheme, length }: { scheme?: Scheme; length?: number } = {},
): void {
  let left = MAX_LIST_BYTES;
  request.u32(items.length);
  // By index, since iteration skips the holes of an array.
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const bytes = viewOf(item);
    const path = `${name}[${index}]`;
    if (!bytes) throw invalid(scheme, path, BYTES, describe(item));
    if (length !== undefined && bytes.length !== length) {
      throw invalid(scheme, path, `${length} bytes`, `${bytes.length} bytes`);
    }
    left -= 4 + bytes.length;
    if (left < 0) {
      const expected = `${name} of at most ${MAX_LIST_BYTES} bytes together`;
      throw refuse("proof_too_large", expected, `more, at ${path}`, { scheme });
    }
    if (length === undefined) request.bytes(bytes);
    else request.array(bytes);
  }
}
