/// <reference lib="esnext.disposable" preserve="true" />

import { Arguments, invalid } from "../arguments.js";
import { type Bytes, BYTES, viewOf } from "../bytes.js";
import { describe, refuse } from "../error.js";
import { hash, type HashGlue } from "../wasm/hash.js";
import { Writer } from "../wire.js";
import { type Operation, writeOperations } from "./operation.js";
import { type Pinned, writeParams } from "./params.js";
import { readProvedBatch, type VerifiedBatch } from "./result.js";

/** A batch with its proof. */
export interface ProvedBatch extends VerifiedBatch {
  /** The proof, scorex's byte stream. */
  proof: Bytes;
}

/** `Symbol.dispose`, or in engines without it a symbol that nothing asks for. */
const dispose: typeof Symbol.dispose =
  (Symbol as { dispose?: typeof Symbol.dispose }).dispose ??
  (Symbol("Symbol.dispose") as typeof Symbol.dispose);

/**
 * A dictionary in memory that proves batches of operations, for tests and tools.
 *
 * It lives in WebAssembly's memory until it is disposed of: `using prover = new AvlProver(…)`, or
 * `prover.dispose()`. If WebAssembly ever traps, or runs out of memory, every prover of the page or
 * worker is lost: their methods throw `internal` with reason `trapped` from then on. Keep what must
 * not be lost elsewhere, and apply it again to a new prover.
 */
export class AvlProver {
  readonly #prover: number;
  /** How many instances were lost before this prover's. */
  readonly #lostBefore = hash.lost;

  /** An empty dictionary. Throws `invalid_input` for wrong lengths. */
  constructor(input: Pinned) {
    const given = new Arguments("avl", input, ["keyLength", "valueLength", "limits"]);
    const request = new Writer();
    writeParams(request, given);
    const params = request.finish();
    this.#prover = hash.call("avl", (wasm) => wasm.avlProverNew(params));
  }

  /** The digest of the dictionary, 33 bytes. */
  get digest(): Bytes {
    return this.#call((wasm) => wasm.avlProverDigest(this.#prover));
  }

  /**
   * The value of a key, or undefined if it is absent; without a proof.
   *
   * Throws `invalid_input` if it is no key of the dictionary: of another length, all 00 or all ff.
   */
  get(key: Uint8Array): Bytes | undefined {
    const bytes = viewOf(key);
    if (!bytes) throw invalid("avl", "key", BYTES, describe(key));
    return this.#call((wasm) => wasm.avlProverGet(this.#prover, bytes));
  }

  /**
   * Proves a batch without changing the dictionary.
   *
   * Throws `mismatch` if an operation fails, with its index in `details.found`, and `invalid_input`
   * for keys and values of wrong lengths.
   */
  prove(operations: readonly Operation[]): ProvedBatch {
    const request = pack(operations);
    return readProvedBatch(this.#call((wasm) => wasm.avlProverProve(this.#prover, request)));
  }

  /** Proves a batch and applies it, all or nothing. Throws like {@link AvlProver.prove}. */
  apply(operations: readonly Operation[]): ProvedBatch {
    const request = pack(operations);
    return readProvedBatch(this.#call((wasm) => wasm.avlProverApply(this.#prover, request)));
  }

  /** Frees the dictionary; its other methods throw `invalid_input` from then on. */
  dispose(): void {
    if (this.#lostBefore !== hash.lost) return;
    hash.call("avl", (wasm) => {
      wasm.avlProverFree(this.#prover);
    });
  }

  /** The same as {@link AvlProver.dispose}. */
  [dispose](): void {
    this.dispose();
  }

  #call<T>(run: (wasm: HashGlue) => T): T {
    if (this.#lostBefore !== hash.lost) {
      const expected = "a prover made after the last trap";
      throw refuse("trapped", expected, "one made before it", { scheme: "avl" });
    }
    return hash.call("avl", run);
  }
}

function pack(operations: unknown): Bytes {
  const given = new Arguments("avl", { operations }, ["operations"]);
  const request = new Writer();
  writeOperations(request, given.list("operations"));
  return request.finish();
}
