import type { Bytes } from "../bytes.js";
import type { Reader } from "../wire.js";

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
