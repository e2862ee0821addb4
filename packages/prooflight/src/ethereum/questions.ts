/** The parts of questions, checked; errors are `invalid_argument`. */

import { type Arguments, invalid } from "../arguments.js";
import { type Hex, toHex } from "../bytes.js";
import { abortSignal } from "../client/options.js";
import { describe } from "../error.js";
import { bytesLike } from "../mpt/bytes.js";
import type { BlockName } from "./options.js";

/** Where to look, and when to stop. */
export interface AtOptions {
  /** The block whose state is asked for. Default `latest`. */
  at?: BlockName | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/** A block; `latest` if it is undefined. */
export function blockName(given: unknown, name: string): BlockName {
  if (given === undefined) return "latest";
  if (given === "latest" || given === "safe" || given === "finalized") return given;
  if (typeof given === "bigint" && given >= 0n && given < 1n << 64n) return given;
  if (typeof given === "string" && given.startsWith("0x")) return hashOf(given, name);
  throw invalid(undefined, name, "latest, safe, finalized, a number or a hash", describe(given));
}

/** The members of {@link AtOptions}. */
export function readAtOptions(given: Arguments<keyof AtOptions>): {
  at: BlockName;
  signal?: AbortSignal;
} {
  const signal = abortSignal(given.unchecked("signal"));
  return { at: blockName(given.unchecked("at"), "at"), ...(signal && { signal }) };
}

/** 32 bytes in lower case. */
export const hashOf = (given: unknown, name: string): Hex =>
  toHex(bytesLike(given, name, 32)) as Hex;
