import type { Bytes } from "../bytes.js";
import { checkKeyLengths } from "../chain/keys.js";
import type { StateQuestion } from "../chain/schemes.js";
import type { Absent, Present } from "../result.js";
import { verifySmtProof } from "./proof.js";

/**
 * Verifies the values of raw keys in a chain's sparse Merkle tree, or that they are absent.
 *
 * Throws as {@link verifySmtProof}, and `key_length` for a key longer than the chain allows. Source:
 * `test-vectors/spec/chain.md`, section 7.
 */
export function verifySmtState(
  root: Bytes,
  { header, config: { limits }, keys, proof }: StateQuestion,
): (Present | Absent)[] {
  checkKeyLengths(keys, limits.maxKey);
  return verifySmtProof({
    root,
    block: header.height,
    keys,
    proof,
    limits: { maxValueBytes: limits.maxValue },
  });
}
