import { invalid } from "./arguments.js";
import { BYTES, viewOf } from "./bytes.js";
import { describe, refuse } from "./error.js";
import type { Scheme } from "./schemes.js";
import type { Writer } from "./wire.js";

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
