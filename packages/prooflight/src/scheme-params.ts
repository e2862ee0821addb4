/** The parameters of schemes in a chain's configuration. */

import { type Bytes, fromHex } from "./bytes.js";
import { refuse } from "./error.js";
import { type Scheme, SCHEMES } from "./schemes.js";
import { Reader } from "./wire.js";

/**
 * The parameters of one of a chain's schemes; undefined if the chain does not keep it.
 *
 * Throws `invalid_input` / `invalid_config` if the parameters do not have this length, in bytes.
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
 * Throws `invalid_input` / `invalid_config` if the parameters are not 34 bytes.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#1-formats | The specification, chain 1}
 *
 * @example
 * ```ts
 * import { lvmtConfig } from "prooflight/lvmt";
 *
 * const config = lvmtConfig(checkpoint.config);
 * if (!config) throw new Error("the chain does not keep lvmt");
 * console.log("vectors of", 2 ** config.logN, "entries");
 * ```
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

/** The eras of a chain's LMPT store: an era ends with the first block that reaches one of these bounds. */
export interface LmptConfig {
  /** Blocks. */
  eraBlocks: number;
  /** Operations, one for each key that a block writes. */
  eraOps: number;
  /** Bytes of the written values, plus 64 for each operation. */
  eraBytes: bigint;
}

/**
 * The parameters of `lmpt` in a chain's configuration; undefined if the chain does not keep it.
 *
 * Throws `invalid_input` / `invalid_config` if the parameters are not 16 bytes.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#1-formats | The specification, chain 1}
 *
 * @example
 * ```ts
 * import { lmptConfig } from "prooflight/lmpt";
 *
 * const config = lmptConfig(checkpoint.config);
 * if (!config) throw new Error("the chain does not keep lmpt");
 * console.log("an era has at most", config.eraBlocks, "blocks");
 * ```
 */
export function lmptConfig({
  schemes,
}: {
  readonly schemes: readonly { readonly id: number; readonly params: string }[];
}): LmptConfig | undefined {
  const params = paramsOf(schemes, "lmpt", 16);
  if (!params) return undefined;
  const reader = new Reader(params);
  return { eraBlocks: reader.u32(), eraOps: reader.u32(), eraBytes: reader.u64() };
}
