import { Arguments } from "../arguments.js";
import { refuse } from "../error.js";
import { type Limits, writeItems, writeLimits } from "../limits.js";
import type { Absent, Present } from "../state.js";
import { lvmt } from "../wasm/lvmt.js";
import { Reader, Writer } from "../wire.js";
import { type Setup, SETUP, u8, writeSetup } from "./setup.js";

/** The input of {@link verifyLvmtProof}; the caller trusts everything but the proof. */
export interface LvmtProofInput extends Setup {
  /** The base-2 logarithm of the arity of openings in the root vector. */
  logArity: number;
  /** The root of the scheme `lvmt` in the header of the block: `aroot`, then `hroot`; 64 bytes. */
  root: Uint8Array;
  /** The height of the block. */
  height: bigint;
  /** The requested raw keys; they may repeat. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
  /** Limits that differ from the defaults. */
  limits?: Limits | undefined;
}

/** The key has this value. */
export interface LvmtPresent extends Present {
  /** The block that gave the key this value. */
  since: bigint;
  /** The number of blocks that wrote or deleted the key. */
  version: bigint;
}

/** The key has no value. Without the other members, the key was never written. */
export interface LvmtAbsent extends Absent {
  /** The block that deleted the key. */
  deletedAt?: bigint;
  /** The number of blocks that wrote or deleted the key. */
  version?: bigint;
}

/**
 * Verifies the newest values of keys after a block, or their absence, against the block's roots.
 *
 * Returns a result for each key, in order. Throws a `VerifyError`: `malformed` if the proof is not
 * well-formed or exceeds a limit, `mismatch` if it does not verify against the root, `unsupported` for a
 * setup that is not accepted or not known, `invalid_input` for wrong arguments.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/lvmt.md#5-verification | The specification, lvmt 5}
 *
 * @example
 * ```ts
 * import { init, lvmtConfig, verifyLvmtProof } from "prooflight/lvmt";
 *
 * await init();
 * const params = lvmtConfig(checkpoint.config);
 * if (!params) throw new Error("the chain does not keep lvmt");
 * const [answer] = verifyLvmtProof({ ...params, root, height: 90n, keys: [key], proof });
 * if (answer?.kind === "present") console.log(answer.value, "since block", answer.since);
 * ```
 */
export function verifyLvmtProof(input: LvmtProofInput): (LvmtPresent | LvmtAbsent)[] {
  const given = new Arguments("lvmt", input, [
    ...SETUP,
    "logArity",
    "root",
    "height",
    "keys",
    "proof",
    "limits",
  ]);
  const request = new Writer(1024);
  writeSetup(request, given);
  request.u8(u8(given, "logArity"));
  request.array(given.array("root", 64));
  request.u64(given.u64("height"));
  const { maxProofBytes } = writeLimits(request, given);
  writeItems(request, given.list("keys"), "keys", { scheme: "lvmt" });
  const proof = given.proof("proof", maxProofBytes);
  const packed = request.finish();
  return readResults(new Reader(lvmt.call("lvmt", (wasm) => wasm.lvmtVerifyProof(packed, proof))));
}

function readResults(response: Reader): (LvmtPresent | LvmtAbsent)[] {
  const values = response.sequence(() => response.bytes());
  return response.sequence(() => {
    switch (response.u8()) {
      case 0: {
        const value = values[response.u32()];
        if (!value) throw refuse("bug", "a value", "none", { scheme: "lvmt" });
        return { kind: "present", value, since: response.u64(), version: response.u64() };
      }
      case 1:
        return { kind: "absent", deletedAt: response.u64(), version: response.u64() };
      default:
        return { kind: "absent" };
    }
  });
}
