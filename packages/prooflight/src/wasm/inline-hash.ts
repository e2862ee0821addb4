/** Takes the binary of the hash-based schemes from the program itself. */

import { fromBase64 } from "./base64.js";
import { hash } from "./hash.js";

hash.provide(async () => fromBase64((await import("./prooflight-hash.base64.js")).default));
