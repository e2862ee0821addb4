import type { Bytes } from "../bytes.js";
import type { Reader } from "../wire.js";

/** A part of a range, which is complete up to where it ends. */
export interface AmbPage<Entry> {
  /** The entries, ascending by key; descending if the range is reversed. */
  entries: Entry[];
  /**
   * Where the page is cut: the next one has this as its `lo`, in a reversed range as its `hi`. Null if the page
   * reaches the end of the range.
   */
  next: Bytes | null;
  /**
   * The number of entries that the proof shows within the page: of a range, `entries` and the keys that had no value at
   * the block but were written or deleted later.
   */
  opened: number;
}

/** A key that had a value at the block asked about. */
export interface AmbEntry {
  /** The raw key. */
  key: Bytes;
  value: Bytes;
  /** The block that set this value. */
  since: bigint;
}

/** Reads a `Page` of `bindings/wasm/src/amb/message.rs`. */
export function readPage<Entry>(
  response: Reader,
  entry: (response: Reader) => Entry,
): AmbPage<Entry> {
  const entries = response.sequence(() => entry(response));
  const next = response.optionalBytes();
  return { entries, next, opened: response.u32() };
}

/** Reads an `Entry`. */
export function readEntry(response: Reader): AmbEntry {
  const key = response.bytes();
  const value = response.bytes();
  return { key, value, since: response.u64() };
}

/** An entry, with as much as a replica needs to go on from it. */
export interface AmbReplica {
  /** The raw key. */
  key: Bytes;
  /** The number of its versions: of blocks that wrote it. */
  versions: bigint;
  /** The block that wrote it last. */
  block: bigint;
  /** Its value; null if that block deleted it. */
  value: Bytes | null;
  /** The roots of the perfect trees over the versions before, 32 bytes each, the largest tree first. */
  peaks: Bytes[];
}

/** Reads a `Replica` of `bindings/wasm/src/amb/message.rs`. */
export function readReplica(response: Reader): AmbReplica {
  const key = response.bytes();
  const versions = response.u64();
  const block = response.u64();
  const value = response.optionalBytes();
  return { key, versions, block, value, peaks: response.sequence(() => response.array(32)) };
}
