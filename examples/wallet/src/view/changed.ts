// The accounts that changed in a range of blocks, verified to be complete.

import type { KeyChange } from "prooflight";

import { nameOf } from "../account.js";
import { MOST_COMPARED, type Past } from "../past.js";
import { amountText } from "./accounts.js";
import { element, fill, find, number, plural, time } from "./dom.js";

/** More would not fit. */
const SHOWN = 8;

/** Shows the accounts that changed, the latest change first. */
export function showChanged({ changed }: Past): void {
  if (!changed) {
    const text = `Not requested: the range has more than ${number(MOST_COMPARED)} blocks.`;
    fill(find("changed"), [element("p", text)]);
    return;
  }
  const { changes, evidence } = changed;
  const newest = changes.toSorted((a, b) => Number(b.height - a.height)).slice(0, SHOWN);
  const items = newest.map((change) =>
    element("li", [
      element("span", nameOf(change.key)),
      element("b", amount(change)),
      block(change),
    ]),
  );
  const more = changes.length - newest.length;
  if (more > 0) items.push(element("li", `and ${number(more)} more`));
  fill(find("changed"), [
    element("ul", items),
    element(
      "p",
      `${plural(changes.length, "account")} and no other: a proof of ${plural(evidence.proofBytes, "byte")}, checked in ${time(evidence.milliseconds)}.`,
    ),
  ]);
}

const amount = ({ value }: KeyChange) =>
  value === null ? "deleted" : amountText({ kind: "present", value });

const block = ({ height }: KeyChange) => element("small", `block ${number(height)}`);
