// Lies that a server could send: true claims with one small change.

import { toHex } from "prooflight";

import type { Claim } from "./claim.js";
import { number } from "./format.js";

/** The part of a claim that a lie changes: a member of its input. */
export type Part = "stateRoot" | "digest" | "operations" | "proof";

/** A false claim, and its difference from the true one. */
export interface Lie {
  name: string;
  claim: Claim;
  part: Part;
  change: string;
}

/** The lies that can replace a true claim. */
export function liesAbout(claim: Claim): Lie[] {
  const lies = [flipProof(claim), changeValue(claim), hideOperation(claim), claimOtherRoot(claim)];
  return lies.filter((lie) => lie !== undefined);
}

function flipProof(claim: Claim): Lie | undefined {
  const { input } = claim;
  if ("mode" in input && input.mode === "compat") return undefined; // accepts unused bytes
  const { proof } = input;
  const [flipped, change] = flip(proof, proof.length >> 1, "the proof");
  return lie("Flip a byte of the proof", claim, "proof", flipped, change);
}

// A batch does not claim a result: with other operations it is another claim, not a false one.
// A block claims the state root to which its operations lead.

function changeValue(claim: Claim): Lie | undefined {
  if (claim.kind !== "ErgoAdProofs") return undefined;
  const operations = [...claim.input.operations];
  const index = operations.findIndex((operation) => operation.op === "Insert");
  const insertion = operations[index];
  if (insertion?.op !== "Insert" || insertion.value.length === 0) return undefined;
  const [value, change] = flip(insertion.value, 0, `the value that operation ${index + 1} inserts`);
  operations[index] = { ...insertion, value };
  return lie("Change an inserted value", claim, "operations", operations, change);
}

function hideOperation(claim: Claim): Lie | undefined {
  if (claim.kind !== "ErgoAdProofs") return undefined;
  const operations = [...claim.input.operations];
  // Other operations may have no effect, and then nothing false is claimed without them.
  const index = operations.findIndex(({ op }) => op === "Insert" || op === "Remove");
  const hidden = operations[index];
  if (!hidden) return undefined;
  operations.splice(index, 1);
  const change = `Operation ${index + 1} is left out: ${hidden.op} ${toHex(hidden.key)}.`;
  return lie("Hide an operation", claim, "operations", operations, change);
}

function claimOtherRoot(claim: Claim): Lie {
  const part = claim.kind === "ErgoAdProofs" ? "stateRoot" : "digest";
  const root = claim.kind === "ErgoAdProofs" ? claim.input.stateRoot : claim.input.digest;
  const [flipped, change] = flip(root, root.length >> 1, "the state root");
  return lie("Claim another state root", claim, part, flipped, change);
}

function lie(name: string, truth: Claim, part: Part, changed: unknown, change: string): Lie {
  const claim = { ...truth, input: { ...truth.input, [part]: changed } } as Claim;
  return { name, claim, part, change };
}

/** A copy with the lowest bit of one byte flipped, and a description of the change. */
function flip(bytes: Uint8Array, index: number, what: string): [Uint8Array, string] {
  const flipped = bytes.map((byte, i) => (i === index ? byte ^ 1 : byte));
  const at = (all: Uint8Array) => toHex(all.subarray(index, index + 1));
  const change = `Byte ${number(index + 1)} of ${what} is ${at(flipped)} instead of ${at(bytes)}.`;
  return [flipped, change];
}
