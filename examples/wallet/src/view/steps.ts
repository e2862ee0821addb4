// Formats changes of an amount.

import { showAmount } from "../account.js";
import type { Step } from "../past.js";

/** The account's amount from then on. */
export function amountOfStep({ amount, deleted }: Step): string {
  if (deleted) return "deleted";
  return amount === undefined ? "no amount" : showAmount(amount);
}

/** The difference, after a comma. */
export function changeOfStep({ change }: Step): string {
  return change === undefined ? "" : `, ${signed(change)}`;
}

/** A difference with its sign. */
export const signed = (change: bigint): string => `${change >= 0n ? "+" : ""}${showAmount(change)}`;
