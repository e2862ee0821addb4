/** Arguments that are bytes in 0x-hex. */

import { invalid } from "./arguments.js";
import { type Bytes, fromHex as decode } from "./bytes.js";
import { VerifyError } from "./error.js";
import type { Scheme } from "./schemes.js";

/**
 * Decodes a 0x-hex string, in upper or lower case.
 *
 * Throws `invalid_input` / `invalid_argument` if it does not start with `0x`, has an odd length, or other characters.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/conventions.md#5-json-encoding | The specification, conventions 5}
 */
export function fromHex(hex: string): Bytes {
  return readHex(undefined, hex, "hex");
}

/** The bytes of 0x-hex; throws `invalid_argument`, naming `path`, if it is none. */
export function readHex(scheme: Scheme | undefined, given: unknown, path: string): Bytes {
  try {
    return decode(given as string);
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    throw invalid(scheme, path, error.details.expected, error.details.found);
  }
}

/** The bytes of a hash or key, 32 of them, in 0x-hex; throws like {@link readHex}. */
export function readHash(given: unknown, path: string): Bytes {
  const bytes = readHex(undefined, given, path);
  if (bytes.length === 32) return bytes;
  throw invalid(undefined, path, "32 bytes", `${bytes.length} bytes`);
}
