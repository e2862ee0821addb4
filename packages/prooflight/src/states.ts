import type { Bytes } from "./bytes.js";
import { refuse } from "./error.js";
import { layerOf } from "./layer.js";
import type { Absent, Present } from "./result.js";
import type { StateScheme } from "./schemes.js";
import type { Reader } from "./wire.js";

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
