/** What a client has accepted of its chain, from the checkpoint that the application pinned on. */

import { toHex } from "../bytes.js";
import type { Bytes } from "../bytes.js";
import { type Checkpoint, type Hex, type Pinned, readCheckpoint } from "../chain/checkpoint.js";
import { decodeHeader, type Header } from "../chain/header.js";
import { toQuantity } from "../chain/quantity.js";
import { type Freshness, verifyAncestor, verifyHead } from "../chain/sync.js";
import { type Refusal, VerifyError } from "../error.js";
import type { HeaderProof } from "./replies.js";

/** An accepted head, with what shows others that it extends the pinned checkpoint. */
export interface Accepted {
  header: Header;
  /** The head as the authorities signed it. */
  signed: Bytes;
  /** The path of the pinned checkpoint's header in the head's history. */
  inclusion: readonly Bytes[];
}

/**
 * Two headers of one height with a quorum of signatures each, directly or through a later head.
 *
 * Whoever sees this should stop, and show `evidence` to whoever runs the chain.
 */
export class EquivocationError extends VerifyError {
  readonly #evidence: Evidence;

  constructor(refusal: Refusal, evidence: Evidence, options?: ErrorOptions) {
    super(refusal, options);
    this.#evidence = structuredClone(evidence);
  }

  /** What the authorities signed; a copy each time. */
  get evidence(): Evidence {
    return structuredClone(this.#evidence);
  }
}

/** What the authorities signed. */
export interface Evidence {
  height: bigint;
  /** The accepted header; without its signed form if it is the pinned checkpoint. */
  accepted: { hash: Bytes; signed: Bytes | undefined };
  /** The other head, signed, and if it is a later one, its ancestor at that height. */
  conflicting: { signed: Bytes; ancestor?: { header: Bytes; path: readonly Bytes[] } };
}

/** Nothing of it goes to the application as it is: what that gets are copies. */
export class Trust {
  readonly pinned: Pinned;
  readonly #freshness: Freshness;
  readonly #now: () => bigint;
  #accepted: Accepted | undefined;

  constructor(checkpoint: unknown, freshness: Freshness, now: () => bigint) {
    this.pinned = readCheckpoint(checkpoint);
    this.#freshness = freshness;
    this.#now = now;
  }

  /** The newest accepted head; none before the first. */
  get accepted(): Accepted | undefined {
    return this.#accepted;
  }

  /** The height of the newest header that is trusted. */
  get height(): bigint {
    return this.#accepted?.header.height ?? this.pinned.height;
  }

  /** The newest accepted head as a checkpoint to pin. */
  get checkpoint(): Checkpoint {
    const { json } = this.pinned;
    const header = this.#accepted?.header;
    if (!header) return structuredClone(json);
    const height = toQuantity(header.height);
    return structuredClone({ config: json.config, height, headerHash: toHex(header.hash) as Hex });
  }

  /**
   * Accepts a head that extends what is trusted, at once.
   *
   * `fromNewest` has the place of the newest trusted header in its history, `fromPinned` the path of
   * the pinned one. Throws as `verifyHead`, an {@link EquivocationError} if the authorities signed two
   * histories.
   */
  accept(signed: Bytes, fromNewest: HeaderProof, fromPinned: readonly Bytes[]): Header {
    const header = this.#verify(this.checkpoint, signed, fromNewest);
    // Only its age was in question. What is accepted stays, so that calls under way can go on from it.
    if (this.#isAccepted(header)) return header;
    if (this.#accepted) this.#verifyPath(this.pinned.json, signed, fromPinned);
    this.#accepted = { header, signed, inclusion: fromPinned };
    return header;
  }

  #isAccepted({ hash }: Header): boolean {
    const { accepted } = this;
    return accepted !== undefined && toHex(accepted.header.hash) === toHex(hash);
  }

  #verify(checkpoint: Checkpoint, signed: Bytes, fromNewest: HeaderProof): Header {
    try {
      return this.#verifyPath(checkpoint, signed, fromNewest.path);
    } catch (error) {
      throw this.#equivocation(error, signed, fromNewest) ?? error;
    }
  }

  #verifyPath(checkpoint: Checkpoint, head: Bytes, inclusion: readonly Bytes[]): Header {
    return verifyHead({ checkpoint, head, inclusion, now: this.#now(), ...this.#freshness });
  }

  /** The same refusal with its evidence, if it is that the authorities signed two histories. */
  #equivocation(
    error: unknown,
    signed: Bytes,
    { header, path }: HeaderProof,
  ): EquivocationError | undefined {
    if (!(error instanceof VerifyError)) return undefined;
    const { height } = this;
    const hash = this.#accepted?.header.hash ?? (this.pinned.headerHash as Bytes);
    const accepted = { hash, signed: this.#accepted?.signed };
    const cause = error;
    if (error.reason === "equivocation") {
      const evidence = { height, accepted, conflicting: { signed } };
      return new EquivocationError(error.toJSON(), evidence, { cause });
    }
    // The head is signed, but what is trusted is not in its history: does it have another there?
    if (error.reason !== "not_extending") return undefined;
    let other: Header;
    try {
      const ancestor = decodeHeader(header).encoded;
      other = verifyAncestor({
        head: decodeHeader(signed).encoded,
        header: ancestor,
        inclusion: path,
      });
    } catch {
      return undefined; // The server only failed to show what the head's history has.
    }
    const [expected, found, reason] = [toHex(hash), toHex(other.hash), "equivocation"] as const;
    if (other.height !== height || expected === found) return undefined;
    const signers = accepted.signed
      ? "the authorities signed two histories"
      : "the authorities signed two histories, or the checkpoint is not one of theirs";
    const message = `${signers}: at height ${height} expected ${expected}, found ${found}`;
    return new EquivocationError(
      { code: "untrusted", reason, expected, found, message },
      { height, accepted, conflicting: { signed, ancestor: { header: other.encoded, path } } },
      { cause },
    );
  }
}
