/** One change of the raw state. */
export type StateOperation<B extends Uint8Array = Uint8Array> =
  { op: "Set"; key: B; value: B } | { op: "Delete"; key: B };
