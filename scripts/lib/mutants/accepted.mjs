// Faults that no vector can see, or need not see, each with why.

import { readFileSync } from "node:fs";

const PATH = new URL("accepted.json", import.meta.url);

/**
 * Entries with `file`, `function`, and `before` and `after`, the line without and with the fault; where one of
 * the latter two is missing, the entry is about all of them. `why` is the reason.
 */
export function readAccepted() {
  return JSON.parse(readFileSync(PATH, "utf8"));
}

/** Why a fault may survive; `undefined` if nobody has said so. */
export function reasonFor(mutant, accepted) {
  return accepted.find((entry) => matches(mutant, entry))?.why;
}

/** Whether an entry is about a fault. */
export function matches(mutant, entry) {
  return ["file", "function", "before", "after"].every(
    (member) => entry[member] === undefined || entry[member] === mutant[member],
  );
}
