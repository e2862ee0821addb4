/** Keys and blocks in callers' arguments. */

import { invalid, itemsOf, own, readHex } from "../arguments.js";
import { type Bytes, fromHex, type Hex, toQuantity, viewOf } from "../bytes.js";
import type { ChainLimits } from "../chain/checkpoint.js";
import { checkKeys, checkRequested } from "../chain/compare.js";
import { describe, refuse } from "../error.js";
import { hasLoneSurrogate, Utf8Encoder } from "../platform.js";

/** A raw key: as bytes, in 0x-hex, or as text, which is encoded in UTF-8. */
export type Key = Uint8Array | Hex | { readonly text: string };

/** A block: the newest, or by height, or by header hash in 0x-hex. */
export type At = "latest" | bigint | Hex;

/** A requested block. */
export type RequestedBlock =
  | {
      at: "latest";
      /** Its minimum height: that of the head accepted before the question. */
      newest: bigint;
    }
  | {
      /** The block, in the form of the JSON-RPC parameter; undefined for any block. */
      at: string | undefined;
      /** Always written: an inherited member must not turn the check into another one. */
      newest: undefined;
    };

/** Checks that a signed header is that of the wanted block. */
export function checkBlock({ at, newest }: RequestedBlock, signed: Bytes): void {
  if (newest !== undefined) checkRequested({ by: "newest", height: newest }, signed);
  else if (at?.length === HASH_DIGITS) checkRequested({ by: "hash", hash: fromHex(at) }, signed);
  else if (at !== undefined) checkRequested({ by: "height", height: BigInt(at) }, signed);
}

/** The number of characters of a header hash as a parameter; a height never has as many. */
const HASH_DIGITS = 66;

/** Checks keys, and copies them; `key_length` if one is longer than the chain allows. */
export function readKeys(keys: unknown, limits: ChainLimits): Bytes[] {
  const raw = itemsOf(undefined, keys, "keys").map((key, index) => bytesOf(key, `keys[${index}]`));
  checkKeys(limits, raw);
  return raw;
}

/** Checks a key, and copies it; `key_length` if it is longer than the chain allows. */
export function readKey(key: unknown, limits: ChainLimits): Bytes {
  const raw = bytesOf(key, "key");
  checkKeys(limits, [raw]);
  return raw;
}

/** Checks the prefix or a bound of keys, and copies it. */
export function readBound(bound: unknown, name: string): Bytes {
  const raw = bytesOf(bound, name);
  if (raw.length <= MAX_BOUND_BYTES) return raw;
  throw refuse("key_length", `${name} of at most ${MAX_BOUND_BYTES} bytes`, `${raw.length} bytes`);
}

/** The first key after one of 256 bytes has one more. */
const MAX_BOUND_BYTES = 257;

function bytesOf(key: unknown, name: string): Bytes {
  if (typeof key === "string") return readHex(undefined, key, name);
  const bytes = viewOf(key);
  if (bytes) return bytes.slice();
  const text = typeof key === "object" && key !== null ? own(key, "text") : undefined;
  if (typeof text === "string" && !hasLoneSurrogate(text)) return new Utf8Encoder().encode(text);
  throw invalid(undefined, name, "a Uint8Array, 0x-hex or { text }", describe(key));
}

/** Checks a block argument; returns the JSON-RPC parameter. */
export function readAt(at: unknown): string {
  if (at === "latest") return at;
  if (typeof at === "bigint" && at >= 0n && at < 1n << 64n) return toQuantity(at);
  if (typeof at === "string" && /^0x[0-9a-f]{64}$/i.test(at)) return at.toLowerCase();
  throw invalid(undefined, "at", "latest, a bigint, or a header hash in 0x-hex", describe(at));
}
