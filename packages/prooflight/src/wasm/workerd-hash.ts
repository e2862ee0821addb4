/** Takes the binary of the hash-based schemes as the module that workerd compiled when it was deployed. */

import { hash } from "./hash.js";
import binary from "./prooflight-hash.wasm";

hash.provide(() => binary);
