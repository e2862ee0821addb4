// The newest blocks, and the changes of accounts in each.

import type { Block } from "prooflight";

import { nameOf } from "../account.js";
import { amountText } from "./accounts.js";
import { element, fill, find, number, plural } from "./dom.js";

/** More would not fit on the line. */
const SHOWN = 4;

/** Shows verified blocks, the newest first. */
export function showBlocks(blocks: readonly Block[]): void {
  const items = blocks.map(({ header, operations, proofBytes }) =>
    element("li", [
      element("b", `Block ${number(header.height)}`),
      element(
        "small",
        `${plural(operations.length, "operation")}, proof ${plural(proofBytes, "byte")}`,
      ),
      element("span", inWords(operations)),
    ]),
  );
  fill(find("blocks"), items);
}

function inWords(operations: Block["operations"]): string {
  const words = operations.slice(0, SHOWN).map((operation) => {
    const name = nameOf(operation.key);
    if (operation.op === "Delete") return `${name} removed`;
    return `${name} ${amountText({ kind: "present", value: operation.value })}`;
  });
  if (operations.length > SHOWN) words.push("…");
  return words.join(", ") || "no operations";
}
