// The average of an account's amounts over time, rounded and exact, and the times that it omits.

import { exactAverage, roundedAverage } from "../average.js";
import type { Past } from "../past.js";
import { duration, element, fill, find, number } from "./dom.js";

/** More gaps would not fit. */
const MOST_GAPS = 3;

/** Shows the average over the blocks of a past. */
export function showAverage({ history, average }: Past): void {
  const { from, to } = history;
  if (!average) {
    fill(find("average"), [element("p", "None: a value in these blocks is no amount.")]);
    return;
  }
  const rounded = roundedAverage(average);
  const total = to.timestampMs - from.timestampMs;
  if (rounded === undefined) {
    const why =
      total === 0n ? "A single block has no duration." : "There was no amount at any time.";
    fill(find("average"), [element("p", `None: ${why}`)]);
    return;
  }
  const { over, under } = exactAverage(average);
  fill(find("average"), [
    element("p", [element("b", rounded)]),
    element("p", [
      "exactly ",
      under === 1n
        ? number(over)
        : element("span", `${number(over)} ⁄ ${number(under)}`, "fraction"),
      " cents",
    ]),
    element("p", `Each amount is weighted by its time, ${duration(average.coveredMs)} in all.`),
    ...gapsIn(average.gaps),
  ]);
}

function gapsIn(gaps: readonly { fromMs: bigint; toMs: bigint }[]): Node[] {
  const items = gaps.slice(0, MOST_GAPS).map(({ fromMs, toMs }) => {
    const [begin, end] = [fromMs, toMs].map((ms) =>
      new Date(Number(ms)).toLocaleTimeString("en-GB"),
    );
    return element("li", `${begin} to ${end}: no account, ${duration(toMs - fromMs)}`);
  });
  if (gaps.length > MOST_GAPS)
    items.push(element("li", `and ${number(gaps.length - MOST_GAPS)} more`));
  return items.length === 0 ? [] : [element("p", "Left out:"), element("ul", items)];
}
