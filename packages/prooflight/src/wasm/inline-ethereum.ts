/** Takes the binary of Ethereum from the program itself. */

import { fromBase64 } from "./base64.js";
import { ethereum } from "./ethereum.js";

ethereum.provide(async () => fromBase64((await import("./prooflight-ethereum.base64.js")).default));
