/** The kinds of calls, and their answers. */

import type { Hex } from "../../bytes.js";
import type { Block } from "../blocks.js";
import type { AccessListEntry, Call } from "./call.js";
import {
  type CallProgress,
  type CallQuestion,
  type CallView,
  execute,
  type Executed,
} from "./execute.js";
import {
  CallFailure,
  type CallOutcome,
  readAccessListOutcome,
  readCallOutcome,
  readGasOutcome,
} from "./outcome.js";
import type { Overrides } from "./overrides.js";
import type { Execution } from "./proven-state.js";

/** A call, with what is to be different. */
export interface CheckedCall {
  call: Call;
  overrides: Overrides;
  onProgress?: ((progress: CallProgress) => void) | undefined;
}

/** What an answer rests on, and what it took. */
export interface CallBasis {
  /** The block after which the call was executed. */
  block: { hash: Hex; number: bigint };
  /** The rounds of requests to a server: 0 if all was known. */
  rounds: number;
  /** The bytes of the server's replies. */
  bytes: number;
}

/** What a call returns. */
export interface CallAnswer extends CallBasis {
  data: Hex;
  gasUsed: bigint;
}

/** The gas that a call needs. */
export interface GasAnswer extends CallBasis {
  gas: bigint;
}

/** The accounts and slots that a call names. */
export interface AccessListAnswer extends CallBasis {
  accessList: AccessListEntry[];
  /** The gas of the call with this list. */
  gasUsed: bigint;
  /** Why the call fails, if it does. */
  failure: CallFailure | undefined;
}

/** Executes a call; throws `CallFailure` if it fails. */
export async function call(view: CallView, block: Block, given: CheckedCall): Promise<CallAnswer> {
  const executed = await ask(view, block, given, "evmCall", readCallOutcome);
  const { data, gasUsed } = returned(executed.result);
  return { data, gasUsed, ...basisOf(executed) };
}

/** Estimates the gas of a call; throws `CallFailure` if it fails with any gas. */
export async function estimate(
  view: CallView,
  block: Block,
  given: CheckedCall,
): Promise<GasAnswer> {
  const executed = await ask(view, block, given, "evmEstimate", readGasOutcome);
  const { result } = executed;
  if (result.failed) throw new CallFailure(result.failed);
  return { gas: result.gas, ...basisOf(executed) };
}

/** Makes the access list of a call; throws `CallFailure` if the call is not executed. */
export async function accessList(
  view: CallView,
  block: Block,
  given: CheckedCall,
): Promise<AccessListAnswer> {
  const executed = await ask(view, block, given, "evmAccessList", readAccessListOutcome);
  const { accessList, outcome, rejection } = executed.result;
  const basis = basisOf(executed);
  if (rejection !== undefined) {
    throw new CallFailure({ message: rejection, data: undefined, gasUsed: 0n });
  }
  const copy = accessList.map(({ address, storageKeys }) => ({
    address,
    storageKeys: [...storageKeys],
  }));
  const failure = outcome.failed && new CallFailure(outcome.failed);
  return { accessList: copy, gasUsed: (failure ?? returned(outcome)).gasUsed, failure, ...basis };
}

function returned(outcome: CallOutcome) {
  if (outcome.failed) throw new CallFailure(outcome.failed);
  return outcome;
}

async function ask<T>(
  view: CallView,
  block: Block,
  { call, overrides, onProgress }: CheckedCall,
  execution: Execution,
  read: CallQuestion<T>["read"],
): Promise<Executed<T>> {
  return execute(view, block, { execution, calls: [call], overrides, read }, onProgress);
}

/** What an answer rests on, and what it took. */
export const basisOf = ({ block: { header }, rounds, bytes }: Executed<unknown>): CallBasis => ({
  block: { hash: header.hash, number: header.number },
  rounds,
  bytes,
});
