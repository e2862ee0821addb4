/** The verified result for a key; the same for every scheme. */

import type { Bytes } from "./bytes.js";
import type { Layer } from "./layer.js";

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
