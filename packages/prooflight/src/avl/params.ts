import type { Arguments } from "../arguments.js";
import type { Writer } from "../wire.js";

/**
 * The proofs that a verifier accepts: `strict`, only the bytes that an honest prover makes; `compat`, all that
 * scrypto's verifier accepts.
 */
export type Mode = "strict" | "compat";

/** Limits of a verifier's input. Each is an integer below 2^32. */
export interface Limits {
  /** Bytes of the proof. Default 8 MiB. */
  maxProofBytes?: number | undefined;
  /** Operations of the batch. Default 4096. */
  maxOperations?: number | undefined;
  /** Operations that may delete their key. Default: `maxOperations`. */
  maxDeletes?: number | undefined;
  /** Bytes of a value. Default 65,536. */
  maxValueBytes?: number | undefined;
}

/** Trusted properties of a dictionary, which its digest does not authenticate. */
export interface Pinned {
  /** Bytes of every key, 1 to 256. */
  keyLength: number;
  /** Bytes of every value; undefined if each value has a length of its own. */
  valueLength?: number | undefined;
  /** Limits that differ from the defaults. */
  limits?: Limits | undefined;
}

const MODES = ["strict", "compat"] as const satisfies readonly Mode[];
const LIMITS = ["maxProofBytes", "maxOperations", "maxDeletes", "maxValueBytes"] as const;

/** Writes `Params`; returns the limit of a proof's bytes, if the caller set one. */
export function writeParams(
  writer: Writer,
  given: Arguments<"keyLength" | "valueLength" | "limits" | "mode">,
): number | undefined {
  writer.u32(given.u32("keyLength"));
  writer.optionalU32(given.optionalU32("valueLength"));
  writer.bool(given.optionalChoice("mode", MODES) === "compat");
  const limits = given.optionalObject("limits", LIMITS);
  const maxProofBytes = limits.optionalU32("maxProofBytes");
  writer.optionalU32(maxProofBytes);
  writer.optionalU32(limits.optionalU32("maxOperations"));
  writer.optionalU32(limits.optionalU32("maxDeletes"));
  writer.optionalU32(limits.optionalU32("maxValueBytes"));
  return maxProofBytes;
}
