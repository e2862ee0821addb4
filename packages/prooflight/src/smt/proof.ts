import { Arguments } from "../arguments.js";
import { type Limits, writeItems, writeLimits } from "../limits.js";
import type { Absent, Present } from "../state.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";

/** The input of {@link verifySmtProof}. */
export interface SmtProofInput {
  /** The root of the scheme `smt` after the block, 32 bytes: trusted by the caller. */
  root: Uint8Array;
  /** The height of this block. */
  height: bigint;
  /** The requested raw keys, at least one. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
  /** Limits that differ from the defaults. */
  limits?: Limits | undefined;
}

/**
 * Verifies the values of raw keys after a block, or their absence.
 *
 * Returns a result for each key, in order, with the block of its last change; an absent key without
 * `deletedAt` was never written. Throws a `VerifyError`: `malformed` if the proof is not well-formed or
 * exceeds a limit, `mismatch` if it does not verify against the root.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/smt.md#4-keys-at-a-block | The specification, smt 4}
 *
 * @example
 * ```ts
 * import { init, verifySmtProof } from "prooflight/smt";
 *
 * await init();
 * const [answer] = verifySmtProof({ root, height: 90n, keys: [key], proof });
 * if (answer?.kind === "present") console.log(answer.value, "since block", answer.since);
 * else console.log("no value at block 90");
 * ```
 */
export function verifySmtProof(input: SmtProofInput): (Present | Absent)[] {
  const given = new Arguments("smt", input, ["root", "height", "keys", "proof", "limits"]);
  const request = new Writer();
  request.array(given.array("root", 32));
  request.u64(given.u64("height"));
  const { maxProofBytes } = writeLimits(request, given);
  writeItems(request, given.list("keys"), "keys", { scheme: "smt" });
  const proof = given.proof("proof", maxProofBytes);
  const packed = request.finish();
  const response = new Reader(hash.call("smt", (wasm) => wasm.smtVerify(packed, proof)));
  return response.sequence(() => readAnswer(response));
}

/** Reads an `Answer`. */
export function readAnswer(reader: Reader): Present | Absent {
  switch (reader.u8()) {
    case 0: {
      const since = reader.u64();
      return { kind: "present", value: reader.bytes(), since };
    }
    case 1:
      return { kind: "absent", deletedAt: reader.u64() };
    default:
      return { kind: "absent" };
  }
}
