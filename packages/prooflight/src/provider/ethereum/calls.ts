/** Calls, executed over proven state. */

import { type Call, CALL_MEMBERS, readCall } from "../../ethereum/execution/call.js";
import { accessList, call, type CheckedCall, estimate } from "../../ethereum/execution/calls.js";
import { CallFailure } from "../../ethereum/execution/outcome.js";
import {
  BLOCK_MEMBERS,
  type Overrides,
  readOverrides,
} from "../../ethereum/execution/overrides.js";
import { evm } from "../../wasm/evm.js";
import { blockAt, quantity, wrong } from "../request.js";
import type { CallView } from "../../ethereum/execution/execute.js";
import type { BlockName } from "../../ethereum/options.js";
import type { Block } from "../../ethereum/blocks.js";
import type { Parameters } from "./chain.js";

/** What calls need of a chain. */
export interface CallChain {
  /** Whether the chain is followed: then `pending` means `latest`, and every block is canonical. */
  readonly follows: boolean;
  /** Asks one server after another, until one gives an answer that verifies. */
  ask<T>(question: (view: NamingView) => Promise<T>): Promise<T>;
}

/** A view with the blocks that requests name. */
export interface NamingView extends CallView {
  block(name: BlockName): Promise<Block>;
}

type CallMethod = (chain: CallChain, params: Parameters, name: string) => Promise<unknown>;

export const callMethod: CallMethod = async (chain, params, name) => {
  const overrides = readOverrides(params[2], blockMembers(params[3]));
  const { data } = await ask(chain, params, name, overrides, call);
  return data;
};

export const estimateGas: CallMethod = async (chain, params, name) => {
  const overrides = readOverrides(params[2], blockMembers(params[3]));
  const { gas } = await ask(chain, params, name, overrides, estimate);
  return quantity(gas);
};

export const createAccessList: CallMethod = async (chain, params, name) => {
  const overrides = readOverrides(params[2], undefined);
  const found = await ask(chain, params, name, overrides, accessList);
  return {
    accessList: found.accessList,
    ...(found.failure && { error: found.failure.message }),
    gasUsed: quantity(found.gasUsed),
  };
};

async function ask<T>(
  chain: CallChain,
  params: Parameters,
  name: string,
  overrides: Overrides,
  run: (...given: Given<typeof call>) => Promise<T>,
): Promise<T> {
  const checked: CheckedCall = { call: callOf(params[0], name), overrides };
  const block = blockAt(name, params, 1, chain.follows);
  await evm.init();
  return chain.ask(async (view) => run(view, await view.block(block), checked));
}

type Given<F> = F extends (...given: infer All) => unknown ? All : never;

/** The call of a request, of which members that no call has are ignored, as servers do. */
function callOf(given: unknown, name: string): Call {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw wrong(name, "a call in an object", given);
  }
  const members = given as Record<string, unknown>;
  const data = members["input"] ?? members["data"];
  return readCall(pick({ ...members, data }, CALL_MEMBERS));
}

/** The changes of a block; throws, as geth does, for those that calls do not have. */
function blockMembers(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const members = given as Record<string, unknown>;
  for (const member of ["beaconRoot", "withdrawals"]) {
    const value = members[member];
    if (value !== undefined && value !== null) {
      const message = `block override "${member}" is not supported for this RPC method`;
      throw new CallFailure({ message, data: undefined, gasUsed: 0n });
    }
  }
  return pick(members, BLOCK_MEMBERS);
}

const pick = (given: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
  );
