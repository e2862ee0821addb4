/** Accounts, storage and code: `eth_getProof` against the state root of a verified block. */

import type { Hex } from "../../bytes.js";
import { code, prove } from "../../ethereum/accounts.js";
import { canonicalAnswer, keyOfSlot } from "../../mpt/canonical.js";
import { addressAt, blockAt, quantity, slotOf, word, wrong } from "../request.js";
import type { Chain, Method, Parameters } from "./chain.js";

/** The most slots of one request. */
const MAX_SLOTS = 1024;

export const getBalance: Method = async (chain, params, name) => {
  const { balance } = await accountOf(chain, params, name, [], 1);
  return quantity(balance);
};

export const getTransactionCount: Method = async (chain, params, name) => {
  const { nonce } = await accountOf(chain, params, name, [], 1);
  if (params[1] !== "pending") return quantity(nonce);
  return quantity(chain.sent.next(addressAt(name, params, 0), nonce));
};

export const getStorageAt: Method = async (chain, params, name) => {
  const { storage } = await accountOf(chain, params, name, [slotOf(name, params[1])], 2);
  return word(storage[0] ?? 0n);
};

export const getCode: Method = async (chain, params, name) => {
  const address = addressAt(name, params, 0);
  const block = blockAt(name, params, 1, true);
  return chain.ask(async (view) => code(view.server, await view.block(block), address));
};

export const getProof: Method = async (chain, params, name) => {
  const address = addressAt(name, params, 0);
  const asked = slotsOf(name, params[1] ?? []);
  const slots = asked.map((slot) => slotOf(name, slot));
  const block = blockAt(name, params, 2, true);
  const proven = await chain.ask(async (view) =>
    prove(view.server, await view.block(block), address, slots),
  );
  return canonicalAnswer(address, asked.map(keyOfSlot), proven);
};

export const getStorageValues: Method = async (chain, params, name) => {
  const given = params[0];
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw wrong(name, "an object of slots by address", given);
  }
  const asked = Object.entries(given).map(([address, slots]) => ({
    given: address,
    address: addressAt(name, [address], 0),
    slots: slotsOf(name, slots).map((slot) => slotOf(name, slot)),
  }));
  const count = asked.reduce((sum, { slots }) => sum + slots.length, 0);
  if (count === 0 || count > MAX_SLOTS) throw wrong(name, `1 to ${MAX_SLOTS} slots`, count);
  const block = blockAt(name, params, 1, true);
  return chain.ask(async (view) => {
    const verified = await view.block(block);
    const values = asked.map(async ({ given, address, slots }) => {
      const { shown } = await prove(view.server, verified, address, slots);
      return [given, shown.storage.map(word)] as const;
    });
    return Object.fromEntries(await Promise.all(values));
  });
};

/** The verified account and slots that a request names, after the block of the parameter `blockIndex`. */
async function accountOf(
  chain: Chain,
  params: Parameters,
  name: string,
  slots: readonly Hex[],
  blockIndex: number,
) {
  const address = addressAt(name, params, 0);
  const block = blockAt(name, params, blockIndex, true);
  const { shown } = await chain.ask(async (view) =>
    prove(view.server, await view.block(block), address, slots),
  );
  return shown;
}

function slotsOf(name: string, given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) throw wrong(name, "slots in an array", given);
  if (given.length > MAX_SLOTS) throw wrong(name, `at most ${MAX_SLOTS} slots`, given.length);
  return given as readonly unknown[];
}
