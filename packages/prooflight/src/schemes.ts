// Generated from crates/core/src/scheme.rs by `npm run vectors`.

/** The authenticated stores. */
export type Scheme = "avl" | "lvmt" | "smt" | "mpt" | "lmpt" | "amb";

/** The schemes that prove values of keys. */
export type StateScheme = "avl" | "lvmt" | "smt" | "lmpt" | "amb";

/** What a scheme's proofs can prove. */
export type Ability =
  "keys" | "block" | "history" | "diff" | "average" | "account" | "range" | "count" | "past";

/** The properties of a scheme. */
export interface SchemeInfo {
  /** Its id in headers, configurations and envelopes. */
  readonly id: number;
  /** The length of its root in a header, in bytes. */
  readonly rootLength: number;
  /** What its proofs can prove; empty for a scheme that has only an id. */
  readonly abilities: readonly Ability[];
  /** The binary that contains its verifier. */
  readonly binary?: "hash" | "lvmt";
  /** Whether a chain's configuration has parameters for it. */
  readonly parameters: boolean;
}

/** Every scheme, in the order of the ids. */
export const SCHEMES: Readonly<Record<Scheme, SchemeInfo>> = {
  avl: { id: 1, rootLength: 33, abilities: ["keys", "block"], binary: "hash", parameters: false },
  lvmt: { id: 2, rootLength: 64, abilities: ["keys"], binary: "lvmt", parameters: true },
  smt: {
    id: 3,
    rootLength: 32,
    abilities: ["keys", "history", "diff", "average"],
    binary: "hash",
    parameters: false,
  },
  mpt: { id: 4, rootLength: 32, abilities: ["account"], binary: "hash", parameters: false },
  lmpt: { id: 5, rootLength: 96, abilities: ["keys"], binary: "hash", parameters: true },
  amb: {
    id: 6,
    rootLength: 32,
    abilities: ["keys", "history", "range", "count", "past"],
    binary: "hash",
    parameters: false,
  },
};

/** The names of the schemes that prove values of keys. */
export const STATE_SCHEMES: readonly StateScheme[] = ["avl", "lvmt", "smt", "lmpt", "amb"];
