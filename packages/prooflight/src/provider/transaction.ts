/** Sends transactions. A transaction's hash is computed here, not taken from the server. */

import { toHex } from "../bytes.js";
import { refuse } from "../error.js";
import { bytesLike } from "../mpt/bytes.js";
import { MAX_PROOF_BYTES } from "../registry.js";
import { hash as wasm, init } from "../wasm/hash.js";
import { bytesOfResult, listOf, type Request, wrongAnswer } from "./request.js";
import type { Server } from "./server.js";

/**
 * Sends a signed transaction; returns its hash.
 *
 * Throws `transaction_mismatch` if the server returns another hash. The server may have published the transaction
 * nevertheless; the error's `expected` is its hash.
 */
export async function sendRaw(server: Server, request: Request): Promise<string> {
  const { method } = request;
  const given = listOf(request)[0];
  const raw = bytesLike(given, `parameter 0 of ${method}`);
  if (raw.length === 0 || raw.length > MAX_PROOF_BYTES) {
    const expected = `parameter 0 of ${method} to be a transaction of 1 to ${MAX_PROOF_BYTES} bytes`;
    throw refuse("invalid_argument", expected, `${raw.length} bytes`, { scheme: "mpt" });
  }
  await init();
  // A copy, since the caller may write to it during the request.
  const sent = raw.slice();
  const answered = bytesOfResult(method, await server.handOn(request, false));
  if (answered.length !== 32) {
    throw wrongAnswer(method, "a hash of 32 bytes", `${answered.length} bytes`);
  }
  return toHex(wasm.call("mpt", (wasm) => wasm.mptVerifyTransaction(sent, answered)));
}
