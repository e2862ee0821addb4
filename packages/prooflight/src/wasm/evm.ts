import { Binary } from "./binary.js";
import * as glue from "./prooflight_evm_bg.js";

/** The binary that executes calls over proven state. It is loaded with the first call. */
export const evm = new Binary(
  "prooflight-evm.wasm",
  "prooflight_evm_bg.js",
  glue,
  () => new URL("./prooflight-evm.wasm", import.meta.url),
  "prooflight/inline/ethereum, or prooflight/inline/provider for a provider",
);
