import type { Chain } from "./chain.js";

/** The parameters of a request. */
export type Parameters = readonly unknown[];

/** Answers a request; `name` is that of the method. */
export type Method = (chain: Chain, params: Parameters, name: string) => unknown;
