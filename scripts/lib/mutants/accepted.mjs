// Faults that no vector can or need detect, each with the reason.

import { readFileSync } from "node:fs";

const PATH = new URL("accepted.json", import.meta.url);

/**
 * Entries with `file`, `function`, and `before` and `after`, the line without and with the fault. If `before` or
 * `after` is missing, the entry matches any. `why` is the reason.
 */
export function readAccepted() {
  return JSON.parse(readFileSync(PATH, "utf8"));
}

/** The reason why a fault may survive, or `undefined` if there is none. */
export function reasonFor(mutant, accepted) {
  return accepted.find((entry) => matches(mutant, entry))?.why;
}

/** Whether an entry matches a fault. */
export function matches(mutant, entry) {
  return ["file", "function", "before", "after"].every(
    (member) => entry[member] === undefined || entry[member] === mutant[member],
  );
}
