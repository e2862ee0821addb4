import { paramsOf } from "../params.js";

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
  const params = paramsOf(schemes, "lvmt", 34);
  if (!params) return undefined;
  const [logN = 0, logArity = 0] = params.subarray(32);
  return { paramsId: params.subarray(0, 32), logN, logArity };
}
