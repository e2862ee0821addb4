/** Takes the binary that executes calls from the program itself. */

import { fromBase64 } from "./base64.js";
import { evm } from "./evm.js";

evm.provide(async () => fromBase64((await import("./prooflight-evm.base64.js")).default));
