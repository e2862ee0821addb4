// Changes of an amount in words.

import { showAmount } from "../account.js";
import type { Step } from "../past.js";

/** What the account had from then on. */
export function amountOfStep({ amount, deleted }: Step): string {
  if (deleted) return "deleted";
  return amount === undefined ? "no amount" : showAmount(amount);
}

/** By how much it changed, behind a comma. */
export function changeOfStep({ change }: Step): string {
  return change === undefined ? "" : `, ${signed(change)}`;
}

/** A difference with its sign. */
export const signed = (change: bigint): string => `${change >= 0n ? "+" : ""}${showAmount(change)}`;
