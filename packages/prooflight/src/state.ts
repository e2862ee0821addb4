/** Keys and their values: verified results, and changes; the same for every scheme. */

import type { Bytes } from "./bytes.js";
import { refuse } from "./error.js";
import type { StateScheme } from "./schemes.js";
import type { Reader } from "./wire.js";

/** The key is, or was before the operation, present. */
export interface Present {
  kind: "present";
  /** Results of one batch with the same value may share this array, so do not write to it. */
  value: Bytes;
  /** The block that set this value; only for `amb`, `lvmt` and `smt`, which prove it. */
  since?: bigint;
  /** The layer that has the value; only for `lmpt`. */
  layer?: Layer;
}

/** The key is, or was before the operation, absent. */
export interface Absent {
  kind: "absent";
  /** The block that deleted the key, if it ever had a value; only for `amb`, `lvmt` and `smt`, which prove it. */
  deletedAt?: bigint;
  /** The layer that has the deletion, or `snapshot` if none has the key; only for `lmpt`. */
  layer?: Layer;
}

/**
 * A layer of an `lmpt` state: `delta` has the writes of the current era, `intermediate` those of the era before it,
 * `snapshot` the state before that era.
 */
export type Layer = "delta" | "intermediate" | "snapshot";

const LAYERS: readonly Layer[] = ["delta", "intermediate", "snapshot"];

/** The layer whose name is in a response. */
export function layerOf(bytes: Uint8Array): Layer {
  const name = String.fromCharCode(...bytes);
  const layer = LAYERS.find((layer) => layer === name);
  if (layer) return layer;
  throw refuse("bug", `a layer of ${LAYERS.join(", ")}`, name, { scheme: "lmpt" });
}

/** One change of the raw state. */
export type StateOperation<B extends Uint8Array = Uint8Array> =
  { op: "Set"; key: B; value: B } | { op: "Delete"; key: B };

/** Reads a `KeysResponse` of `bindings/wasm/src/state/message.rs`. */
export function readStates(response: Reader, scheme: StateScheme): (Present | Absent)[] {
  // A value of several keys comes once, and their results share it.
  const values = response.sequence(() => response.bytes());
  return response.sequence((): Present | Absent => {
    if (response.u8() !== 0) {
      return { kind: "absent", ...detailsOf("deletedAt", response) };
    }
    const value: Bytes | undefined = values[response.u32()];
    if (!value) throw refuse("bug", "a value", "none", { scheme });
    return { kind: "present", value, ...detailsOf("since", response) };
  });
}

/** What the scheme shows besides the value: the block of the last change, the number of changes, the layer. */
function detailsOf(block: "since" | "deletedAt", response: Reader) {
  const height = response.optionalU64();
  const version = response.optionalU64();
  const layer = response.optionalBytes();
  return {
    ...(height !== undefined && { [block]: height }),
    ...(version !== undefined && { version }),
    ...(layer && { layer: layerOf(layer) }),
  };
}
