/** Takes the binary of LVMT as the module that workerd compiled when it was deployed. */

import { lvmt } from "./lvmt.js";
import binary from "./prooflight-lvmt.wasm";

lvmt.provide(() => binary);
