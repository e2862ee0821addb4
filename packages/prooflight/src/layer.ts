import { refuse } from "./error.js";

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
