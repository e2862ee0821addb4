/** What calls come to. */

import { type Hex, toHex } from "../../bytes.js";
import { Utf8Decoder } from "../../platform.js";
import type { Reader } from "../../wire.js";
import type { AccessListEntry } from "./call.js";

/** A call that fails, as executed here: a verified answer. */
export interface FailedCall {
  /** What geth says of it. */
  message: string;
  /** What the call says, if it was reverted. */
  data: Hex | undefined;
  gasUsed: bigint;
}

/** What a call comes to. */
export type CallOutcome = { data: Hex; gasUsed: bigint; failed?: never } | { failed: FailedCall };

/** What an estimate comes to. */
export type GasOutcome = { gas: bigint; failed?: never } | { failed: FailedCall };

/** What an access list comes to. */
export interface AccessListOutcome {
  accessList: AccessListEntry[];
  outcome: CallOutcome;
  /** What geth says if the call is not executed. */
  rejection: string | undefined;
}

/** Reads `CallOutcome`. */
export function readCallOutcome(reader: Reader): CallOutcome {
  const kind = reader.u8();
  if (kind !== 0) return { failed: readFailure(reader, kind) };
  return { data: toHex(reader.bytes()) as Hex, gasUsed: reader.u64() };
}

/** Reads `GasEstimate`. */
export function readGasOutcome(reader: Reader): GasOutcome {
  const kind = reader.u8();
  return kind === 0 ? { gas: reader.u64() } : { failed: readFailure(reader, kind) };
}

/** Reads `AccessList`. */
export function readAccessListOutcome(reader: Reader): AccessListOutcome {
  const accessList = reader.sequence(() => ({
    address: toHex(reader.array(20)) as Hex,
    storageKeys: reader.sequence(() => toHex(reader.array(32)) as Hex),
  }));
  const outcome = readCallOutcome(reader);
  return { accessList, outcome, rejection: reader.u8() === 0 ? undefined : readText(reader) };
}

function readFailure(reader: Reader, kind: number): FailedCall {
  const data = kind === 1 ? (toHex(reader.bytes()) as Hex) : undefined;
  return { data, message: readText(reader), gasUsed: reader.u64() };
}

const readText = (reader: Reader) => new Utf8Decoder().decode(reader.bytes());

/**
 * A call that fails, as executed over proven state: the error is the verified answer.
 *
 * `code` and `message` are those of geth's JSON-RPC: 3 for a revert, whose `data` are what the contract says, and -32000
 * for anything else.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/call-contracts.md | Call contracts}
 *
 * @example
 * ```ts
 * import { CallFailure } from "prooflight/ethereum";
 *
 * try {
 *   await ethereum.call(call);
 * } catch (error) {
 *   if (!(error instanceof CallFailure)) throw error;
 *   console.log(error.message, error.data); // execution reverted: paused 0x08c379a0…
 * }
 * ```
 */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  /** 3 for a revert, otherwise -32000. */
  readonly code: number;
  /** What the contract says; undefined unless the call was reverted. */
  readonly data: Hex | undefined;
  /** The gas that it used. */
  readonly gasUsed: bigint;

  constructor({ message, data, gasUsed }: FailedCall) {
    super(message);
    this.code = data === undefined ? -32000 : 3;
    this.data = data;
    this.gasUsed = gasUsed;
  }
}
