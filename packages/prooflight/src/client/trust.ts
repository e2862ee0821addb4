/** The trusted history of a client: the pinned checkpoint and the accepted heads that extend it. */

import { type Bytes, copy, type Hex, toHex, toQuantity } from "../bytes.js";
import { type Checkpoint, type Pinned, readCheckpoint } from "../chain/checkpoint.js";
import { relation } from "../chain/compare.js";
import { decodeHeader, type Header } from "../chain/header.js";
import { type Freshness, verifyAncestor, verifyHead } from "../chain/sync.js";
import { refuse, VerifyError } from "../error.js";
import { type Ancestor, EquivocationError, type Evidence } from "./equivocation.js";
import { type KnownHead, KnownHeads } from "./known-heads.js";
import type { HeaderProof } from "./replies.js";

/** An accepted head, with the proof that it extends the pinned checkpoint. */
export interface Accepted {
  header: Header;
  /** The head as the authorities signed it. */
  signed: Bytes;
  /** The path of the pinned checkpoint's header in the head's history. */
  inclusion: readonly Bytes[];
}

// Not 2n ** 64n, which React Native compiles to Math.pow.
const MAX_U64 = (1n << 64n) - 1n;

/** Private to the client. The application only gets copies of its headers and checkpoints. */
export class Trust {
  readonly pinned: Pinned;
  readonly #freshness: Freshness;
  readonly #now: () => bigint;
  readonly #known: KnownHeads;
  #accepted: Accepted | undefined;
  #stopped: EquivocationError | undefined;
  #onStop: ((error: EquivocationError) => void) | undefined;

  constructor(checkpoint: unknown, freshness: Freshness, now: () => bigint) {
    this.pinned = readCheckpoint(checkpoint);
    this.#freshness = freshness;
    this.#now = now;
    const { height, headerHash } = this.pinned;
    this.#known = new KnownHeads({ height, hash: headerHash as Bytes, signed: undefined });
  }

  /** The newest accepted head; undefined before the first. */
  get accepted(): Accepted | undefined {
    return this.#accepted;
  }

  /** The newest accepted head. There must be one. */
  get head(): Accepted {
    if (!this.#accepted) throw refuse("bug", "an accepted head", "none");
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
    return copy(header ? this.#checkpointOf(header) : json);
  }

  /** Calls a function, which replaces the one before, once the client stops. */
  onStop(listener: (error: EquivocationError) => void): void {
    this.#onStop = listener;
  }

  /** Throws the error that stopped the client, if the authorities signed two histories. */
  check(): void {
    if (this.#stopped) throw this.#stopped;
  }

  /**
   * Verifies that a head extends the trusted history, and accepts it.
   *
   * `fromNewest` has the position of the newest trusted header in its history, `fromPinned` the path of the pinned
   * one. Throws like `verifyHead`; an {@link EquivocationError} if the authorities signed two histories.
   */
  accept(signed: Bytes, fromNewest: HeaderProof, fromPinned: readonly Bytes[]): Header {
    const header = this.#verify(this.checkpoint, signed, fromNewest);
    // Only its age had to be checked. The accepted object stays the same for pending calls.
    if (this.#isAccepted(header)) return header;
    if (this.#accepted) this.#verifyPath(this.pinned.json, signed, fromPinned);
    this.#accepted = { header, signed, inclusion: fromPinned };
    this.#known.add({ height: header.height, hash: header.hash, signed });
    return header;
  }

  /** Throws unless a quorum signed the header and it is as fresh as a head must be. */
  checkFresh(signed: Bytes, header: Header): void {
    this.#verifyPath(this.#checkpointOf(header), signed, []);
  }

  /** Whether a quorum of the authorities signed the header, however old it is. */
  isSigned(signed: Bytes, header: Header): boolean {
    try {
      const checkpoint = this.#checkpointOf(header);
      verifyHead({ checkpoint, head: signed, inclusion: [], now: 0n, maxClockSkew: MAX_U64 });
      return true;
    } catch (error) {
      if (error instanceof VerifyError) return false;
      throw error;
    }
  }

  /** The newest header that is known to be in the accepted history, of at most this height. */
  knownUpTo(height: bigint): KnownHead | undefined {
    return this.#known.upTo(height);
  }

  /** Stops the client for good. The caller has verified the evidence of two histories. */
  stop(evidence: Evidence, found: Bytes, cause?: VerifyError): EquivocationError {
    if (!this.#stopped) {
      this.#stopped = EquivocationError.of(evidence, found, cause);
      // Every later call throws the same object.
      Object.freeze(this.#stopped);
      this.#onStop?.(this.#stopped);
    }
    return this.#stopped;
  }

  #isAccepted(header: Header): boolean {
    const { accepted } = this;
    return accepted !== undefined && relation(accepted.header, header) === "same";
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

  #checkpointOf({ height, hash }: Header): Checkpoint {
    const { config } = this.pinned.json;
    return { config, height: toQuantity(height), headerHash: toHex(hash) as Hex };
  }

  /** The refusal with evidence, if it shows that the authorities signed two histories. */
  #equivocation(
    error: unknown,
    signed: Bytes,
    { header, path }: HeaderProof,
  ): EquivocationError | undefined {
    if (!(error instanceof VerifyError)) return undefined;
    const { height } = this;
    const hash = this.#accepted?.header.hash ?? (this.pinned.headerHash as Bytes);
    const accepted = { hash, signed: this.#accepted?.signed };
    const head = decodeHeader(signed);
    if (error.reason === "equivocation") {
      return this.stop({ height, accepted, conflicting: { signed } }, head.hash, error);
    }
    // The head is signed, but the trusted header is not in its history. Does it have another at that height?
    if (error.reason !== "not_extending") return undefined;
    const other = ancestorAt(height, head, header, path);
    // If not, the server merely failed to prove the head's history.
    if (!other || relation({ height, hash }, other) !== "conflicting") return undefined;
    const ancestor: Ancestor = { header: other.encoded, path };
    return this.stop({ height, accepted, conflicting: { signed, ancestor } }, other.hash, error);
  }
}

/** The header at a height of a head's history, if `inclusion` proves it. */
export function ancestorAt(
  height: bigint,
  { encoded: head }: Header,
  signed: Bytes,
  inclusion: readonly Bytes[],
): Header | undefined {
  try {
    return verifyAncestor({ head, header: decodeHeader(signed).encoded, inclusion, height });
  } catch (error) {
    if (error instanceof VerifyError) return undefined;
    throw error;
  }
}
