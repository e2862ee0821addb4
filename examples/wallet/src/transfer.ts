// Sends amounts. A development chain accepts any operation from anyone: nothing here is signed.

import type { Answer } from "prooflight";
import { toHex } from "prooflight";

import { balanceOf, keyOf, MAX_AMOUNT, showAmount, writeAmount } from "./account.js";
import type { Wallet } from "./wallet.js";

/** An amount to move, in cents. */
export interface Transfer {
  from: string;
  to: string;
  amount: bigint;
}

/** Why an amount was not sent, in a readable sentence. */
export class NotSent extends Error {}

/**
 * Asks the node to move an amount; returns the height of the block that includes it, according to the node.
 *
 * The new balances are computed from verified ones. Throws `NotSent`, or a `VerifyError`.
 */
export async function send(wallet: Wallet, node: URL, transfer: Transfer): Promise<bigint> {
  const { from, to, amount } = transfer;
  if (from === to) throw new NotSent("From and to are the same account.");
  if (amount <= 0n) throw new NotSent("The amount must be positive.");
  const [sender, receiver] = await wallet.read([from, to], "latest");
  if (!sender || !receiver) throw new NotSent("No answer.");
  const left = (balanceOf(sender) ?? 0n) - amount;
  if (left < 0n) {
    throw new NotSent(`${from} has only ${showAmount(balanceOf(sender) ?? 0n)}.`);
  }
  if (receiver.kind === "present" && balanceOf(receiver) === undefined) {
    throw new NotSent(`The value of ${to} is not an amount.`);
  }
  const received = (balanceOf(receiver) ?? 0n) + amount;
  if (received > MAX_AMOUNT) throw new NotSent(`${to} cannot hold that much.`);
  return submit(node, [
    { name: from, balance: left },
    { name: to, balance: received },
  ]);
}

/** The verified answers about both accounts at the block of a transfer. */
export const confirm = (
  wallet: Wallet,
  { from, to }: Transfer,
  height: bigint,
): Promise<Answer[]> => wallet.read([from, to], height);

async function submit(
  node: URL,
  balances: readonly { name: string; balance: bigint }[],
): Promise<bigint> {
  const ops = balances.map(({ name, balance }) => ({
    op: "Set",
    key: toHex(keyOf(name)),
    value: toHex(writeAmount(balance)),
  }));
  const call = { jsonrpc: "2.0", id: 1, method: "prooflight_submit", params: { ops } };
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch(node, { method: "POST", headers, body: JSON.stringify(call) });
    const { result, error } = (await response.json()) as {
      result?: { height: string };
      error?: { message: string };
    };
    if (result) return BigInt(result.height);
    throw new NotSent(`The node refused it: ${error?.message ?? "without a reason"}.`);
  } catch (error) {
    if (error instanceof NotSent) throw error;
    throw new NotSent(`The node at ${node.host} does not answer.`);
  }
}
