// The choice of the scheme that proves the balances: the checks, proof sizes and times of each.

import { type Answer, type Header, type StateScheme, toHex } from "prooflight";

import type { Wallet } from "../wallet.js";
import { element, fill, find, number, plural, time } from "./dom.js";

/** A scheme in words. */
export interface Words {
  name: string;
  /** What its proof shows, for the list. */
  checks: string;
  /** Describes its root in a header. */
  root: (root: Uint8Array) => string;
  /** Why a value is proven, and why an absence. */
  present: string;
  absent: (name: string) => string;
}

const WORDS: Readonly<Record<StateScheme, Words>> = {
  amb: {
    name: "Ordered tree",
    checks:
      "A tree of all accounts in the order of their keys, each with its versions. One root proves the values at every block so far.",
    root: () => "one hash of 32 bytes",
    present:
      "It leads from the key, its newest version and the number of older ones to exactly this root. Another value would lead elsewhere.",
    absent: (name) =>
      `The place in the order where ${name} would be has another key, or the account’s newest version is a deletion, so there is no ${name}.`,
  },
  avl: {
    name: "AVL+ tree",
    checks:
      "A balanced tree of all accounts. The proof is the path from the account’s leaf to the root, hash by hash.",
    root: (root) => `a hash of 32 bytes and the tree’s height, ${root.at(-1) ?? 0}`,
    present:
      "It leads from the key and the value to exactly this root. Another value would lead elsewhere.",
    absent: (name) =>
      `Two neighbouring leaves of the tree are before and after the key, so there is no ${name}.`,
  },
  lmpt: {
    name: "Layered tries",
    checks:
      "Ethereum’s trie in three layers: the newest writes, those before them, and everything older. The proof shows every layer down to the one that has the account.",
    root: () => "the root hashes of the three layers",
    present:
      "No newer layer has the account. In its layer, the path of the key leads from the root to exactly this value.",
    absent: (name) =>
      `The newest layer that has the key says that it was deleted, or no layer has it, so there is no ${name}.`,
  },
  lvmt: {
    name: "LVMT",
    checks:
      "A commitment on an elliptic curve says how often each account was written; a Merkle tree contains the values. The proof shows that this is the last write.",
    root: () => "a point of the curve, which commits to all versions, and the hash of all writes",
    present:
      "The value is among the writes, and an equation on the curve shows that the account has no later version.",
    absent: (name) =>
      `The slots where ${name} could be are free, or proved to belong to other accounts, or its last write is a deletion.`,
  },
  smt: {
    name: "Historical tree",
    checks:
      "Each node of the tree says in which block it last changed. So the proof shows the value and the block that set it, and histories can be proved complete.",
    root: () => "one hash of 32 bytes",
    present:
      "It leads from the key, the value and the block that set it to exactly this root. Another value or block would lead elsewhere.",
    absent: (name) =>
      `The path of the key ends at the mark of its deletion, or at another key’s leaf, so there is no ${name}.`,
  },
};

/** The description of a scheme. */
export const wordsOf = (scheme: StateScheme): Words => WORDS[scheme];

/** The root of a scheme in a header. */
export const rootOf = ({ roots }: Header, scheme: StateScheme): Uint8Array =>
  roots[scheme] ?? new Uint8Array();

/** The same in hex. */
export const rootHex = (header: Header, scheme: StateScheme): string => {
  const root = rootOf(header, scheme);
  return root.length === 0 ? "none" : toHex(root);
};

const numbers = new Map<StateScheme, HTMLElement>();

/** Offers the chain's schemes, and marks the one with an insecure setup. */
export function offerSchemes(
  { schemes, scheme: first }: Wallet,
  insecureSetup: boolean,
  choose: (scheme: StateScheme) => void,
): void {
  for (const scheme of schemes) {
    const { name, checks } = WORDS[scheme];
    const insecure = insecureSetup && scheme === "lvmt";
    const radio = element("input");
    radio.type = "radio";
    radio.name = "scheme";
    radio.value = scheme;
    radio.checked = scheme === first;
    radio.addEventListener("change", () => {
      choose(scheme);
    });
    const size = element("span", "…", "size");
    numbers.set(scheme, size);
    const title = [
      element("b", name),
      ` ${scheme}`,
      ...(insecure ? [" ", element("mark", "insecure setup", "badge")] : []),
    ];
    const about = [element("span", title, "title"), element("small", checks)];
    if (insecure) about.push(element("small", INSECURE, "insecure"));
    find("schemes").append(element("label", [radio, element("span", about, "about"), size]));
  }
}

const INSECURE =
  "This chain has the development setup: its secret is public, so anybody can forge these proofs. Do not trust them outside of this demo.";

/** Shows the length of each proof of the chosen account, and its verification time. */
export function showSchemes({ chosen }: Wallet): void {
  for (const [scheme, size] of numbers) {
    const answer = chosen?.alone[scheme];
    fill(
      size,
      answer ? [element("b", plural(answer.evidence.proofBytes, "byte")), took(answer)] : "…",
    );
  }
}

const took = ({ evidence }: Answer) => element("small", time(evidence.milliseconds));

/** The layer that has the account, for the scheme with layers. */
export function layerText({ kind, layer }: Answer): string | undefined {
  if (layer === undefined) return undefined;
  const deleted = kind === "absent" && layer !== "snapshot";
  return {
    delta: `delta: ${deleted ? "deleted" : "written"} in the current era`,
    intermediate: `intermediate: ${deleted ? "deleted" : "written"} in the era before the current one`,
    snapshot: kind === "absent" ? "in none" : "snapshot: written before the last two eras",
  }[layer];
}

/** The block that set or deleted the value, for schemes that prove it. */
export function sinceText(answer: Answer): string | undefined {
  const block = answer.kind === "present" ? answer.since : answer.deletedAt;
  if (block === undefined) return undefined;
  return `${answer.kind === "present" ? "set" : "deleted"} in block ${number(block)}`;
}
