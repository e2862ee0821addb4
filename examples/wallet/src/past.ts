// An account's history in a range of blocks, verified to be complete.

import {
  type Average,
  type Diff,
  type Header,
  type History,
  type LightClient,
  VerifyError,
} from "prooflight";

import { keyOf, readAmount } from "./account.js";

/** A number of newest blocks, or those from one height to another. */
export type Range = { newest: bigint } | { from: bigint; to: bigint | "latest" };

/** An account's past. */
export interface Past {
  name: string;
  /** Every change of the account in the range. */
  history: History;
  /** Its average over the time of the range; undefined if one of its values is not an amount. */
  average: Average | undefined;
  /** Every account that changed in the range; undefined if the range is long. */
  changed: Diff | undefined;
}

/** The most blocks for which the changed accounts are requested. */
export const MOST_COMPARED = 200n;

/** Reads an account's past. Throws a `VerifyError`. */
export async function readPast(
  client: LightClient,
  name: string,
  range: Range,
  signal: AbortSignal,
): Promise<Past> {
  const { from, to } = bounds(range, client.head.height);
  const { history, average } = await readHistory(client, name, { from, to, signal });
  const last = history.to.height;
  const changed =
    last - from < MOST_COMPARED
      ? await client.diff({ from: from === 0n ? null : from - 1n, to: last, signal })
      : undefined;
  return { name, history, average, changed };
}

/** The blocks of a range, limited to the newest block. */
export function bounds(range: Range, newest: bigint): { from: bigint; to: bigint | "latest" } {
  if ("newest" in range) {
    return { from: newest < range.newest ? 0n : newest - range.newest + 1n, to: "latest" };
  }
  const { from, to } = range;
  return {
    from: from < newest ? from : newest,
    to: to === "latest" || to >= newest ? "latest" : to,
  };
}

/** An account's amount from a block on; undefined if there was no account, or its value was not an amount. */
export interface Step {
  block: Header;
  amount: bigint | undefined;
  /** Whether the account was deleted in this block. */
  deleted: boolean;
  /** The change of the amount; undefined if there was none before. */
  change: bigint | undefined;
}

/** The changes of a history, the oldest first. */
export function stepsOf({ entering, changes }: History): Step[] {
  let before = entering?.kind === "present" ? readAmount(entering.value) : undefined;
  return changes.map(({ block, value }) => {
    const amount = value === null ? undefined : readAmount(value);
    const change = amount === undefined || before === undefined ? undefined : amount - before;
    before = amount;
    return { block, amount, deleted: value === null, change };
  });
}

function hasOnlyAmounts({ entering, changes }: History): boolean {
  const values = changes.map(({ value }) => value);
  if (entering?.kind === "present") values.push(entering.value);
  return values.every((value) => value === null || readAmount(value) !== undefined);
}

async function readHistory(
  client: LightClient,
  name: string,
  options: Parameters<LightClient["twap"]>[1],
): Promise<Pick<Past, "history" | "average">> {
  try {
    const { history, ...average } = await client.twap(keyOf(name), options);
    // Shorter and longer integers are numbers, too, but not amounts.
    return { history, average: hasOnlyAmounts(history) ? average : undefined };
  } catch (error) {
    if (!(error instanceof VerifyError) || error.reason !== "value_not_number") throw error;
    return { history: await client.history(keyOf(name), options), average: undefined };
  }
}
