import { paramsOf } from "../params.js";
import { Reader } from "../wire.js";

/** The eras of a chain's LMPT store: an era ends with the first block that reaches one of these bounds. */
export interface LmptConfig {
  /** Blocks. */
  eraBlocks: number;
  /** Operations, one for each key that a block writes. */
  eraOps: number;
  /** Bytes of their values, and 64 for each operation. */
  eraBytes: bigint;
}

/**
 * The parameters of `lmpt` in a chain's configuration; undefined if the chain does not keep it.
 *
 * Throws `invalid_input` / `invalid_config` if they are not 16 bytes.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#1-formats | The specification, chain 1}
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
