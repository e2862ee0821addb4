// The schemes that can prove balances on a chain.

import type { ChainConfig, StateScheme } from "prooflight";

/** By their ids in a chain's configuration. */
const SCHEMES: ReadonlyMap<number, StateScheme> = new Map([
  [1, "avl"],
  [2, "lvmt"],
  [3, "smt"],
]);

/** The scheme that also proves histories. */
export const OF_THE_PAST = "smt";

/** Whether a node can use a scheme to prove the states after earlier blocks, not only after the newest one. */
export const provesThePast = (scheme: StateScheme): boolean => scheme !== "lvmt";

/** The schemes of a chain that this page can verify. */
export const schemesOf = ({ schemes }: ChainConfig): StateScheme[] =>
  schemes.flatMap(({ id }) => SCHEMES.get(id) ?? []);
