/** Keys and blocks in callers' arguments. */

import { invalid } from "../arguments.js";
import { type Bytes, fromHex, toHex, viewOf } from "../bytes.js";
import type { ChainLimits, Hex } from "../chain/checkpoint.js";
import type { Header } from "../chain/header.js";
import { toQuantity } from "../chain/quantity.js";
import { describe, refuse } from "../error.js";

/** A raw key, as bytes or in 0x-hex. */
export type Key = Uint8Array | Hex;

/** A block: the newest, or by height, or by header hash in 0x-hex. */
export type At = "latest" | bigint | Hex;

/** A block that was asked about. */
export type Wanted =
  | {
      at: "latest";
      /** The least height that it must have: that of the head accepted before the question. */
      newest: bigint;
    }
  | {
      /** The block, in the form of the JSON-RPC parameter; undefined for any block. */
      at: string | undefined;
      newest?: never;
    };

/** Checks that a header is that of the wanted block. */
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

/** Checks a block argument; gives the JSON-RPC parameter. */
export function readAt(at: unknown): string {
  if (at === "latest") return at;
  if (typeof at === "bigint" && at >= 0n && at < 1n << 64n) return toQuantity(at);
  if (typeof at === "string" && /^0x[0-9a-f]{64}$/i.test(at)) return at.toLowerCase();
  throw invalid(undefined, "at", "latest, a bigint, or a header hash in 0x-hex", describe(at));
}
