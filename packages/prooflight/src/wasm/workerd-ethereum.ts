/** Takes the binary of Ethereum as the module that workerd compiled when it was deployed. */

import { ethereum } from "./ethereum.js";
import binary from "./prooflight-ethereum.wasm";

ethereum.provide(() => binary);
