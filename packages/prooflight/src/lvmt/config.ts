import { fromHex } from "../bytes.js";
import { refuse } from "../error.js";
import { SCHEMES } from "../schemes.js";

/** The setup and shape of a chain's LVMT store. */
export interface LvmtConfig {
  /** The id of the trusted setup, 32 bytes. */
  paramsId: Uint8Array;
  /** The base-2 logarithm of the number of entries of a vector. */
  logN: number;
  /** The base-2 logarithm of the arity of openings in the root vector. */
  logArity: number;
}

/**
 * The parameters of `lvmt` in a chain's configuration; undefined if the chain does not keep it.
 *
 * Throws `invalid_input` / `invalid_config` if they are not 34 bytes.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#1-formats | The specification, chain 1}
 */
export function lvmtConfig({
  schemes,
}: {
  readonly schemes: readonly { readonly id: number; readonly params: string }[];
}): LvmtConfig | undefined {
  const kept = schemes.find(({ id }) => id === SCHEMES.lvmt.id);
  if (!kept) return undefined;
  const params = fromHex(kept.params);
  const [logN, logArity] = params.subarray(32);
  if (params.length !== 34 || logN === undefined || logArity === undefined) {
    const found = `${params.length} bytes`;
    throw refuse("invalid_config", "34 bytes of parameters", found, { scheme: "lvmt" });
  }
  return { paramsId: params.subarray(0, 32), logN, logArity };
}
