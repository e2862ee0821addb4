import { viewOf } from "../bytes.js";
import { refuse } from "../error.js";

/**
 * Throws `key_length` if a key has more than `maxKey` bytes.
 *
 * What is no key at all is left to whoever reads the keys.
 */
export function checkKeyLengths(keys: readonly unknown[], maxKey: number): void {
  if (!Array.isArray(keys)) return;
  for (const key of keys) {
    const length = viewOf(key)?.length ?? 0;
    if (length > maxKey) throw refuse("key_length", `at most ${maxKey} bytes`, `${length} bytes`);
  }
}
