/** The updates that finalized blocks, as evidence. */

import type { Bytes, Hex } from "../bytes.js";
import type { Form } from "./heads.js";

/** A reply with an update that moved the finalized head, in SSZ. */
export interface SignedUpdate {
  form: Form;
  ssz: Bytes;
}

/** Two updates that finalize different blocks of one slot, each signed by two thirds of a committee. */
export interface FinalityConflict {
  /**
   * The update of the first block; undefined if the application trusts that block, as a checkpoint or in a state, or if
   * the update is too old to be kept.
   */
  first: SignedUpdate | undefined;
  /** The update of the other block. */
  second: SignedUpdate;
}

/** The most bytes of the kept updates. */
const MAX_KEPT_BYTES = 1 << 20;

/** The newest updates that finalized a block, by the block's root. */
export class SignedUpdates {
  /** The oldest first. */
  readonly #byRoot = new Map<string, SignedUpdate>();
  #bytes = 0;

  add(root: Hex, update: SignedUpdate): void {
    this.#byRoot.set(root, update);
    this.#bytes += update.ssz.length;
    for (const [oldest, { ssz }] of this.#byRoot) {
      if (this.#bytes <= MAX_KEPT_BYTES || oldest === root) return;
      this.#byRoot.delete(oldest);
      this.#bytes -= ssz.length;
    }
  }

  of(root: string): SignedUpdate | undefined {
    return this.#byRoot.get(root);
  }
}
