import type { Bytes } from "../bytes.js";
import type { Reader } from "../wire.js";

/** A page of a range: no key between its bounds is missing. */
export interface AmbPage<Entry> {
  /** The entries, ascending by key; descending if the range is reversed. */
  entries: Entry[];
  /**
   * The key at which the page is cut: the next page has it as its `lo`, or as its `hi` if the range is reversed. Null
   * if the page reaches the end of the range.
   */
  next: Bytes | null;
  /**
   * The number of entries that the proof shows within the page. For a range, these are `entries` and the keys that had
   * no value at the block but were written or deleted later.
   */
  opened: number;
}

/** A key that had a value at the requested block. */
export interface AmbEntry {
  /** The raw key. */
  key: Bytes;
  value: Bytes;
  /** The block that set this value. */
  since: bigint;
}

/** Reads a `RangePage` of `bindings/wasm/src/answers.rs`. */
export function readPage<Entry>(
  response: Reader,
  entry: (response: Reader) => Entry,
): AmbPage<Entry> {
  const entries = response.sequence(() => entry(response));
  const next = response.optionalBytes();
  return { entries, next, opened: response.u32() };
}

/** Reads a `RangeEntry`. */
export function readEntry(response: Reader): AmbEntry {
  const key = response.bytes();
  const value = response.bytes();
  return { key, value, since: response.u64() };
}

/** An entry, with what a replica needs to add further versions to it. */
export interface AmbReplica {
  /** The raw key. */
  key: Bytes;
  /** The number of blocks that wrote or deleted the key. */
  versions: bigint;
  /** The last block that wrote or deleted the key. */
  block: bigint;
  /** The value; null if that block deleted the key. */
  value: Bytes | null;
  /** The roots of the perfect trees over the earlier versions, 32 bytes each, the largest tree first. */
  peaks: Bytes[];
}

/** Reads a `ReplicaEntry` of `bindings/wasm/src/amb/message.rs`. */
export function readReplica(response: Reader): AmbReplica {
  const key = response.bytes();
  const versions = response.u64();
  const block = response.u64();
  const value = response.optionalBytes();
  return { key, versions, block, value, peaks: response.sequence(() => response.array(32)) };
}
