// The schemes that can prove balances on a chain.

import { type ChainConfig, type Scheme, SCHEMES, type StateScheme } from "prooflight";

/** The scheme that also proves histories. */
export const OF_THE_PAST = "smt";

/** The scheme that proves that a list of keys is complete. */
export const OF_LISTS = "amb" satisfies StateScheme;

/** Whether a node can use a scheme to prove the states after all earlier blocks, not only after the newest ones. */
export const provesThePast = (scheme: StateScheme): boolean =>
  scheme !== "lvmt" && scheme !== "lmpt";

/** The schemes of a chain that this page can verify. */
export const schemesOf = ({ schemes }: ChainConfig): StateScheme[] =>
  schemes.flatMap(({ id }) => NAMES.find((name) => SCHEMES[name].id === id) ?? []);

const NAMES = (Object.keys(SCHEMES) as Scheme[]).filter((name): name is StateScheme =>
  SCHEMES[name].abilities.includes("keys"),
);
