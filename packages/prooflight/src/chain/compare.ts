/** Compares headers with each other and with the requested block; the comparisons run in wasm. */

import type { Bytes } from "../bytes.js";
import { refuse } from "../error.js";
import { hash } from "../wasm/hash.js";
import { Writer } from "../wire.js";
import { type ChainLimits, writeLimits } from "./checkpoint.js";

/** The height and hash of a header. */
export interface HeaderId {
  height: bigint;
  hash: Uint8Array;
}

/** The relation of one header to another. */
export type Relation = "same" | "conflicting" | "below" | "above";

/** In the order of their numbers in `bindings/wasm/src/chain/mod.rs`. */
const RELATIONS: readonly Relation[] = ["same", "conflicting", "below", "above"];

/** The relation of the first header to the second; two different headers of one height conflict. */
export function relation(one: HeaderId, other: HeaderId): Relation {
  const [first, second] = [known(one), known(other)];
  const number = hash.call(undefined, (wasm) => wasm.chainRelation(first, second));
  const relation = RELATIONS[number];
  if (!relation) throw refuse("bug", "a relation", String(number));
  return relation;
}

function known({ height, hash }: HeaderId): Bytes {
  const writer = new Writer(40);
  writer.u64(height);
  writer.array(hash);
  return writer.finish();
}

/** A requested block: not below a height, at a height, or of a hash. */
export type BlockSelector =
  { by: "newest" | "height"; height: bigint } | { by: "hash"; hash: Uint8Array };

/** In the order of their numbers in `bindings/wasm/src/chain/mod.rs`. */
const SELECTORS: readonly BlockSelector["by"][] = ["newest", "height", "hash"];

/** Throws `head_behind` or `wrong_block` unless a signed header belongs to the requested block. */
export function checkRequested(wanted: BlockSelector, signed: Uint8Array): void {
  const writer = new Writer(40);
  writer.u8(SELECTORS.indexOf(wanted.by));
  if (wanted.by === "hash") writer.array(wanted.hash);
  else writer.u64(wanted.height);
  const packed = writer.finish();
  hash.call(undefined, (wasm) => {
    wasm.chainCheckWanted(packed, signed);
  });
}

/** Throws `key_length` if a raw key is longer than the chain allows. Only the lengths are passed to wasm. */
export function checkKeys(limits: ChainLimits, keys: readonly Uint8Array[]): void {
  const writer = new Writer();
  writeLimits(writer, limits);
  writer.sequence(keys, ({ length }) => {
    writer.u64(BigInt(length));
  });
  const packed = writer.finish();
  hash.call(undefined, (wasm) => {
    wasm.chainCheckKeys(packed);
  });
}
