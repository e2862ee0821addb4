import type { Bytes } from "../bytes.js";
import { checkKeyLengths } from "../chain/keys.js";
import type { StateQuestion } from "../chain/schemes.js";
import { refuse } from "../error.js";
import { lvmtConfig } from "./config.js";
import { type LvmtAbsent, type LvmtPresent, verifyLvmtProof } from "./proof.js";

/**
 * Verifies the values of raw keys in a chain's LVMT state, or that they are absent.
 *
 * Throws as {@link verifyLvmtProof}, and `key_length` for a key longer than the chain allows. Source:
 * `test-vectors/spec/chain.md`, section 7.
 */
export function verifyLvmtState(
  root: Bytes,
  { header, config, keys, proof, setup }: StateQuestion,
): (LvmtPresent | LvmtAbsent)[] {
  const lvmt = lvmtConfig(config);
  const { limits } = config;
  if (!lvmt) throw refuse("wrong_schemes", "a chain with the scheme lvmt", "another");
  checkKeyLengths(keys, limits.maxKey);
  return verifyLvmtProof({
    ...lvmt,
    ...setup,
    root,
    height: header.height,
    keys,
    proof,
    limits: { maxValueBytes: limits.maxValue },
  });
}
