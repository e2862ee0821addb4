/** Sends transactions. A transaction's hash is computed here, not taken from the server. */

import { toHex } from "../bytes.js";
import { refuse } from "../error.js";
import { bytesLike } from "../mpt/bytes.js";
import { MAX_PROOF_BYTES } from "../registry.js";
import { hash as wasm, init } from "../wasm/hash.js";
import { bytesOfResult, listOf, type Request, wrongAnswer } from "./request.js";
import type { Server } from "./server.js";

/**
 * Sends a signed transaction; gives its hash.
 *
 * Throws `transaction_mismatch` if the server names another hash. The server may have published the transaction
 * all the same; the error's `expected` is its hash.
 */
export async function sendRaw(server: Server, request: Request): Promise<string> {
  const { method } = request;
  const given = listOf(request)[0];
  const raw = bytesLike(given, `parameter 0 of ${method}`);
  if (raw.length === 0 || raw.length > MAX_PROOF_BYTES) {
    const expected = `a transaction of 1 to ${MAX_PROOF_BYTES} bytes`;
    throw refuse("invalid_argument", expected, `${raw.length} bytes`, { scheme: "mpt" });
  }
  await init();
  const expected = transactionHash(raw);
  const answered = bytesOfResult(method, await server.handOn(request, false));
  if (answered.length !== 32) {
    throw wrongAnswer(method, "a hash of 32 bytes", `${answered.length} bytes`);
  }
  const found = toHex(answered);
  if (found === expected) return expected;
  throw refuse("transaction_mismatch", expected, found, { scheme: "mpt" });
}

/** The Keccak-256 of a transaction's bytes, without the blobs of its network form. */
function transactionHash(raw: Uint8Array): string {
  const signed = raw[0] === BLOBS ? withoutBlobs(raw) : raw;
  return toHex(wasm.call("mpt", (wasm) => wasm.keccak256(signed)));
}

/** The type of transactions with blobs (EIP-4844). */
const BLOBS = 3;

/**
 * Removes the blobs of a transaction: `03 || rlp([transaction, blobs…])` becomes `03 || rlp(transaction)`. Other
 * bytes, in which the first item of the list is not a list, are returned unchanged.
 */
function withoutBlobs(raw: Uint8Array): Uint8Array {
  const outer = listAt(raw, 1);
  const inner = outer && listAt(raw, outer.start);
  if (outer?.end !== raw.length || !inner || inner.end > outer.end) return raw;
  const signed = new Uint8Array(1 + inner.end - outer.start);
  signed[0] = BLOBS;
  signed.set(raw.subarray(outer.start, inner.end), 1);
  return signed;
}

/** The bounds of the payload of the RLP list at `at`; undefined if there is no list. */
function listAt(bytes: Uint8Array, at: number): { start: number; end: number } | undefined {
  const first = bytes[at] ?? 0;
  if (first < 0xc0) return undefined;
  if (first < 0xf8) return { start: at + 1, end: at + 1 + first - 0xc0 };
  const start = at + 1 + first - 0xf7;
  const length = bytes.subarray(at + 1, start).reduce((length, byte) => length * 256 + byte, 0);
  return { start, end: start + length };
}
