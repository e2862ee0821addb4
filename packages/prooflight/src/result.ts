/** What proofs show about a key; the same for every scheme. */

import type { Bytes } from "./bytes.js";

/** The key had this value. */
export interface Present {
  kind: "present";
  /** Results of one batch may share this array where they have one value: do not write to it. */
  value: Bytes;
  /** The block that gave the key this value; of schemes that prove it, `lvmt` and `smt`. */
  since?: bigint;
}

/** The key had no value. */
export interface Absent {
  kind: "absent";
  /** The block that deleted the key, if it ever had a value; of schemes that prove it, `lvmt` and `smt`. */
  deletedAt?: bigint;
}
