import { type Bytes, toHex } from "../bytes.js";
import { type Refusal, VerifyError } from "../error.js";

/** A header that a head has in its history, and the path that shows it. */
export interface Ancestor {
  /** The header's encoding, without signatures. */
  header: Bytes;
  path: readonly Bytes[];
}

/** What the authorities signed: two headers of one height, each directly or in a later head's history. */
export interface Evidence {
  height: bigint;
  /**
   * The hash of the header in the accepted history; the head that was accepted, signed, and if it is a later
   * one, its ancestor at that height. Of the pinned checkpoint, only the hash is known.
   */
  accepted: { hash: Bytes; signed: Bytes | undefined; ancestor?: Ancestor };
  /** The other head, signed, and if it is a later one, its ancestor at that height. */
  conflicting: { signed: Bytes; ancestor?: Ancestor };
}

/**
 * Two headers of one height with a quorum of signatures each, directly or through a later head.
 *
 * Whoever sees this should stop, and show `evidence` to whoever runs the chain. The client stops: whatever
 * it is asked from then on, it rejects with the same error, and asks no server.
 */
export class EquivocationError extends VerifyError {
  readonly #evidence: Evidence;

  constructor(refusal: Refusal, evidence: Evidence, options?: ErrorOptions) {
    super(refusal, options);
    this.#evidence = structuredClone(evidence);
  }

  /** The error for evidence whose other header has the hash `found`. */
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

  /** What the authorities signed; a copy each time. */
  get evidence(): Evidence {
    return structuredClone(this.#evidence);
  }
}
