// The schemes that prove what accounts have, as far as a chain keeps them.

import type { ChainConfig, StateScheme } from "prooflight";

/** By the number that a chain's configuration has for each. */
const SCHEMES: ReadonlyMap<number, StateScheme> = new Map([
  [1, "avl"],
  [2, "lvmt"],
  [3, "smt"],
]);

/** The scheme that also proves what happened in earlier blocks. */
export const OF_THE_PAST = "smt";

/** Whether a node proves by a scheme what was there after earlier blocks, not only after the newest one. */
export const provesThePast = (scheme: StateScheme): boolean => scheme !== "lvmt";

/** The schemes of a chain that this page can verify. */
export const schemesOf = ({ schemes }: ChainConfig): StateScheme[] =>
  schemes.flatMap(({ id }) => SCHEMES.get(id) ?? []);
