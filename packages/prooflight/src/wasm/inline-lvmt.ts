/** Takes the binary of LVMT from the program itself. */

import { fromBase64 } from "./base64.js";
import { lvmt } from "./lvmt.js";

lvmt.provide(async () => fromBase64((await import("./prooflight-lvmt.base64.js")).default));
