/** What proofs have shown of a block's state, in the memory of the binary. */

import { type Bytes, fromHex, type Hex, toHex } from "../../bytes.js";
import { refuse } from "../../error.js";
import { writeProofs } from "../../mpt/response.js";
import { evm } from "../../wasm/evm.js";
import { Reader, Writer } from "../../wire.js";
import type { Block } from "../blocks.js";
import { type ExecutionRules, writeRules } from "./rules.js";

/** State by its keys. */
export interface StateKeys {
  /** Accounts, each with slots. */
  proofs: Map<Hex, Set<Hex>>;
  /** The hashes of codes, each with an account that has it. */
  codes: Map<Hex, Hex>;
  /** The numbers of older blocks, ascending. */
  ancestors: bigint[];
}

/** The result of an execution and what it read, or what was missing. */
export type Step<T> = {
  /** The units of work that are left. */
  work: bigint;
} & ({ result: T; reads: StateKeys; missing?: never } | { missing: StateKeys });

/** What is executed. */
export type Execution = "evmCall" | "evmEstimate" | "evmAccessList" | "evmSimulate";

/** The proven part of a block's state. Nothing unproven can be in it. */
export class ProvenState {
  readonly #number: number;
  /** The instance of the binary in which it is. */
  readonly #instance: number;
  readonly #proven = new Map<Hex, Set<Hex>>();
  readonly #codes = new Set<Hex>();
  /** The bytes that were added, about. */
  #bytes = 0;

  constructor(block: Block, rules: ExecutionRules, beaconVersion: Bytes | undefined) {
    const request = new Writer(1024);
    request.array(block.hash);
    request.bytes(block.rlp);
    writeRules(request, rules, beaconVersion);
    const packed = request.finish();
    this.#number = evm.call(undefined, (wasm) => wasm.evmState(packed));
    this.#instance = evm.lost;
  }

  /** The bytes that were added, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether it is still in memory: a trap of the binary takes all of it away. */
  get exists(): boolean {
    return this.#instance === evm.lost;
  }

  /** Whether an account is proven with these slots. */
  has(address: Hex, slots: Iterable<Hex>): boolean {
    const proven = this.#proven.get(address);
    if (!proven) return false;
    for (const slot of slots) if (!proven.has(slot)) return false;
    return true;
  }

  /** Whether a code was added. */
  hasCode(hash: Hex): boolean {
    return this.#codes.has(hash);
  }

  /** Adds an account and slots, from a server's answer; throws if it does not show them. */
  addProof(address: Hex, slots: readonly Hex[], answer: unknown): void {
    const request = new Writer(8192);
    request.hex(address);
    writeProofs(request, answer, slots);
    const packed = request.finish();
    this.#call((wasm, number) => {
      wasm.evmAddProof(number, packed);
    });
    this.#bytes += packed.length;
    const proven = this.#proven.get(address) ?? new Set();
    for (const slot of slots) proven.add(slot);
    this.#proven.set(address, proven);
  }

  /** Adds a code; returns its hash, which decides whose it is. Throws `code_mismatch` if it must have another one. */
  addCode(code: Bytes, expected?: Hex): Hex {
    const given = expected === undefined ? new Uint8Array() : fromHex(expected);
    const hash = toHex(this.#call((wasm, number) => wasm.evmAddCode(number, code, given))) as Hex;
    if (!this.#codes.has(hash)) this.#bytes += code.length;
    this.#codes.add(hash);
    return hash;
  }

  /** Adds the header of an older block, in RLP. */
  addAncestor(rlp: Bytes): void {
    this.#call((wasm, number) => {
      wasm.evmAddAncestor(number, rlp);
    });
    this.#bytes += rlp.length;
  }

  /** Executes a request that has the work at its beginning. */
  execute<T>(execution: Execution, request: Bytes, read: (reader: Reader) => T): Step<T> {
    const response = this.#call((wasm, number) => wasm[execution](number, request));
    const reader = new Reader(response);
    const work = reader.u64();
    if (reader.u8() === 0) return { work, result: read(reader), reads: readKeys(reader) };
    return { work, missing: readKeys(reader) };
  }

  /** Takes it out of the binary's memory. */
  free(): void {
    if (!this.exists) return;
    this.#call((wasm, number) => {
      wasm.evmFree(number);
    });
  }

  #call<T>(run: (wasm: Parameters<Parameters<typeof evm.call>[1]>[0], number: number) => T): T {
    if (!this.exists) throw refuse("trapped", "the state of a call", "none after a trap");
    return evm.call(undefined, (wasm) => run(wasm, this.#number));
  }
}

/** Reads `StateKeys`. */
function readKeys(reader: Reader): StateKeys {
  const hex = (length: number) => toHex(reader.array(length)) as Hex;
  const proofs = reader.sequence((): [Hex, Set<Hex>] => [
    hex(20),
    new Set(reader.sequence(() => hex(32))),
  ]);
  const codes = reader.sequence((): [Hex, Hex] => [hex(32), hex(20)]);
  const ancestors = reader.sequence(() => reader.u64());
  return { proofs: new Map(proofs), codes: new Map(codes), ancestors };
}
