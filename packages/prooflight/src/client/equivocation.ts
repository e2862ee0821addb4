import { type Bytes, copy, toHex } from "../bytes.js";
import { type Refusal, VerifyError } from "../error.js";

/** A header in a head's history, with its inclusion path. */
export interface Ancestor {
  /** The header's encoding, without signatures. */
  header: Bytes;
  path: readonly Bytes[];
}

/**
 * Two different headers of one height that the authorities signed, each directly or as an ancestor of a signed head.
 */
export interface Evidence {
  height: bigint;
  /**
   * The hash of the header in the accepted history; the accepted head with its signatures; and its ancestor at
   * that height, if the head is later. For the pinned checkpoint, only the hash is known.
   */
  accepted: { hash: Bytes; signed: Bytes | undefined; ancestor?: Ancestor };
  /** The other head with its signatures, and its ancestor at that height, if the head is later. */
  conflicting: { signed: Bytes; ancestor?: Ancestor };
}

/**
 * The error after a quorum signed two headers of one height, directly or as ancestors of signed heads.
 *
 * Applications should stop, and report `evidence` to the operators of the chain. The client stops too: every member but
 * `close` throws the same error afterwards, pending questions reject with it, and no server is asked.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#11-comparing-headers | The specification, chain 11}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/follow-a-chain.md | Follow a chain}
 *
 * @example
 * ```ts
 * import { EquivocationError } from "prooflight";
 *
 * try {
 *   await client.sync();
 * } catch (error) {
 *   if (!(error instanceof EquivocationError)) throw error;
 *   console.error("two histories at height", error.evidence.height);
 * }
 * ```
 */
export class EquivocationError extends VerifyError {
  readonly #evidence: Evidence;

  constructor(refusal: Refusal, evidence: Evidence, options?: ErrorOptions) {
    super(refusal, options);
    this.#evidence = copy(evidence);
  }

  /** Creates the error for evidence whose conflicting header has the hash `found`. */
  static of(evidence: Evidence, found: Bytes, cause: VerifyError | undefined): EquivocationError {
    const { height, accepted } = evidence;
    const signers = accepted.signed
      ? "the authorities signed two histories"
      : "the authorities signed two histories, or the checkpoint is not one of theirs";
    const details = { expected: toHex(accepted.hash), found: toHex(found) };
    const message = `${signers}: at height ${height} expected ${details.expected}, found ${details.found}`;
    const refusal = { code: "untrusted", reason: "equivocation", message, ...details } as const;
    return new EquivocationError(refusal, evidence, cause && { cause });
  }

  /** The two headers, as a copy. */
  get evidence(): Evidence {
    return copy(this.#evidence);
  }
}
