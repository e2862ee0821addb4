/** Keys and blocks as callers name them. */

import { invalid } from "../arguments.js";
import { type Bytes, fromHex, toHex, viewOf } from "../bytes.js";
import type { ChainLimits, Hex } from "../chain/checkpoint.js";
import type { Header } from "../chain/header.js";
import { toQuantity } from "../chain/quantity.js";
import { describe, refuse } from "../error.js";

/** A raw key, as bytes or in 0x-hex. */
export type Key = Uint8Array | Hex;

/** A block: the newest, the one of a height, or the one with a header hash in 0x-hex. */
export type At = "latest" | bigint | Hex;

/** A block that was asked about. */
export type Wanted =
  | {
      at: "latest";
      /** Its height is at least this: that of a head which was accepted before anyone was asked. */
      newest: bigint;
    }
  | {
      /** The block, as the wire names it; undefined if any will do. */
      at: string | undefined;
      newest?: never;
    };

/** Whether a header is that of the block which was asked about. */
export function checkBlock({ at, newest }: Wanted, claimed: Header): void {
  if (at === undefined) return;
  if (newest !== undefined) {
    if (claimed.height >= newest) return;
    throw refuse("head_behind", `a height of at least ${newest}`, `${claimed.height}`);
  }
  const found = at.length === 66 ? toHex(claimed.hash) : toQuantity(claimed.height);
  if (found !== at) throw refuse("wrong_block", `block ${at}`, `block ${found}`);
}

/** Checks keys, and copies them; `key_length` if one is longer than the chain allows. */
export function readKeys(keys: unknown, { maxKey }: ChainLimits): Bytes[] {
  if (!Array.isArray(keys)) throw invalid(undefined, "keys", "an array", describe(keys));
  return Array.from(keys, (key: unknown) => readKey(key, maxKey));
}

/** Checks a key, and copies it; `key_length` if it has more than `maxKey` bytes. */
export function readKey(key: unknown, maxKey: number): Bytes {
  const raw = bytesOf(key);
  if (raw.length <= maxKey) return raw;
  throw refuse("key_length", `at most ${maxKey} bytes`, `${raw.length} bytes`);
}

function bytesOf(key: unknown): Bytes {
  if (typeof key === "string") return fromHex(key);
  const bytes = viewOf(key);
  if (!bytes) throw invalid(undefined, "a key", "a Uint8Array or 0x-hex", describe(key));
  return bytes.slice();
}

/** How the wire names a block. */
export function readAt(at: unknown): string {
  if (at === "latest") return at;
  if (typeof at === "bigint" && at >= 0n && at < 1n << 64n) return toQuantity(at);
  if (typeof at === "string" && /^0x[0-9a-f]{64}$/i.test(at)) return at.toLowerCase();
  throw invalid(undefined, "at", "latest, a bigint, or a header hash in 0x-hex", describe(at));
}
