/** Takes the binary that executes calls as the module that workerd compiled when it was deployed. */

import { evm } from "./evm.js";
import binary from "./prooflight-evm.wasm";

evm.provide(() => binary);
