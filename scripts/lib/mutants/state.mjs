// The outcomes of the faults that were tried, so that a run continues where the last one stopped.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The outcomes of a build and a seed, one on each line, written as they come in. */
export function openState({ folder, key }, seed) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${key.slice(0, 16)}-${seed}.jsonl`);
  const outcomes = existsSync(path) ? parse(readFileSync(path, "utf8")) : new Map();
  return {
    outcomes,
    add(id, outcome) {
      outcomes.set(id, outcome);
      appendFileSync(path, `${JSON.stringify({ id, ...outcome })}\n`);
    },
  };
}

/** The outcomes by number of fault; a fault whose line was cut off is tried again. */
export function parse(text) {
  const outcomes = new Map();
  for (const line of text.split("\n").filter(Boolean)) {
    try {
      const { id, ...outcome } = JSON.parse(line);
      outcomes.set(id, outcome);
    } catch {
      // The run was stopped while it wrote.
    }
  }
  return outcomes;
}
