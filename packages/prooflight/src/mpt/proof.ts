import { Arguments } from "../arguments.js";
import type { Absent, Present } from "../result.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";
import { type BytesLike, bytesLike } from "./bytes.js";
import { type Limits, writeLimits } from "../limits.js";

/** The input of {@link verifyMptProof}. */
export interface MptProofInput {
  /** The root of the trie, 32 bytes: trusted by the caller, never taken from the server. */
  root: BytesLike;
  /** The key's path in the trie: in a secure trie, the hash of the key. */
  key: BytesLike;
  /** The nodes, from the root on. */
  proof: readonly BytesLike[];
  /** Limits that differ from the defaults. */
  limits?: Limits | undefined;
}

/**
 * Verifies the value of a key in a Merkle Patricia trie, or the key's absence.
 *
 * Throws a `VerifyError`: `malformed` if a node is invalid or a limit is exceeded, `mismatch` if the
 * nodes are not exactly those on the key's path from the root, `invalid_input` for wrong arguments.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#4-verification | The specification, mpt 4}
 */
export function verifyMptProof(input: MptProofInput): Present | Absent {
  const given = new Arguments("mpt", input, ["root", "key", "proof", "limits"]);
  const request = new Writer(4096);
  request.array(bytesLike(given.unchecked("root"), "root", 32));
  request.bytes(bytesLike(given.unchecked("key"), "key"));
  writeLimits(request, given);
  const proof = given.list("proof");
  request.u32(proof.length);
  proof.forEach((node, index) => {
    request.bytes(bytesLike(node, `proof[${index}]`));
  });
  const packed = request.finish();
  const value = new Reader(hash.call("mpt", (wasm) => wasm.mptVerifyProof(packed))).optionalBytes();
  return value ? { kind: "present", value } : { kind: "absent" };
}
