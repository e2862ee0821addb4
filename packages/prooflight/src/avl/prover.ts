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

/** `Symbol.dispose`, or an unused symbol in engines without it. */
const dispose: typeof Symbol.dispose =
  (Symbol as { dispose?: typeof Symbol.dispose }).dispose ??
  (Symbol("Symbol.dispose") as typeof Symbol.dispose);

/**
 * A dictionary in memory that proves batches of operations, for tests and tools.
 *
 * The dictionary occupies WebAssembly's memory until it is disposed of: `using prover = new AvlProver(…)`, or
 * `prover.dispose()`. If WebAssembly traps or runs out of memory, every prover of the page or worker is lost, and its
 * methods throw `internal` / `trapped`. Keep a copy of data that must not be lost, and apply it to a new prover.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/avl.md#12-what-an-honest-prover-writes | The specification, avl 12}
 *
 * @example
 * ```ts
 * import { AvlProver, init } from "prooflight/avl";
 *
 * await init();
 * const prover = new AvlProver({ keyLength: 3 });
 * const key = new TextEncoder().encode("bob");
 * prover.apply([{ op: "Insert", key, value: Uint8Array.of(42) }]);
 * const { proof } = prover.prove([{ op: "Lookup", key }]); // for verifyLookup, with prover.digest
 * prover.dispose();
 * ```
 */
export class AvlProver {
  readonly #prover: number;
  /** The number of instances that were lost before this prover was made. */
  readonly #lostBefore = hash.lost;

  /** Makes an empty dictionary. Throws `invalid_input` for wrong lengths. */
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
   * The value of a key, or undefined if it is absent, without a proof.
   *
   * Throws `invalid_input` for an invalid key: one of another length, or all 00 or all ff.
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

  /** Frees the dictionary. The other methods of the prover throw `invalid_input` afterwards. */
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
