import { type Bytes, fromHex } from "./bytes.js";
import { refuse } from "./error.js";
import { type Scheme, SCHEMES } from "./schemes.js";

/**
 * The parameters of one of a chain's schemes; undefined if the chain does not keep it.
 *
 * Throws `invalid_input` / `invalid_config` if they have another length.
 */
export function paramsOf(
  schemes: readonly { readonly id: number; readonly params: string }[],
  scheme: Scheme,
  length: number,
): Bytes | undefined {
  const kept = schemes.find(({ id }) => id === SCHEMES[scheme].id);
  if (!kept) return undefined;
  const params = fromHex(kept.params);
  if (params.length === length) return params;
  throw refuse("invalid_config", `${length} bytes of parameters`, `${params.length} bytes`, {
    scheme,
  });
}
