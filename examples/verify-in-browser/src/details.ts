// What exactly was checked, in rows: the trusted inputs, and the untrusted ones.

import { toHex } from "prooflight";
import type { Operation } from "prooflight/avl";

import type { Claim } from "./claim.js";
import { element, number, plural } from "./format.js";

/** A row; `part` is the member of the claim's input that the row shows. */
export interface Row {
  label: string;
  part?: string;
  content: readonly (string | Node)[];
}

/** The rows of a claim. */
export function details(claim: Claim): { trusted: Row[]; untrusted: Row[]; note: string } {
  const { operations, proof } = claim.input;
  const untrusted = [
    { label: "Operations", part: "operations", content: countByType(operations) },
    { label: "Proof", part: "proof", content: [plural(proof.length, "byte")] },
  ];
  if (claim.kind === "AvlBatch") {
    const { digest, keyLength, valueLength, mode = "strict" } = claim.input;
    const values =
      valueLength === undefined ? "of any length" : `of ${plural(valueLength, "byte")}`;
    return {
      trusted: [
        hex("State root", "digest", digest),
        {
          label: "Form",
          content: [`keys of ${plural(keyLength, "byte")}, values ${values}; ${mode} mode`],
        },
      ],
      untrusted,
      note: "Not checked here: that the state root can be trusted.",
    };
  }
  const { parentStateRoot, stateRoot, adProofsRoot } = claim.input;
  return {
    trusted: [
      hex("Parent state root", "parentStateRoot", parentStateRoot),
      hex("State root", "stateRoot", stateRoot),
      hex("AD proofs root", "adProofsRoot", adProofsRoot),
    ],
    untrusted,
    note:
      "Not checked here: that the headers belong to the chain, and that the operations are those of the " +
      "block’s transactions.",
  };
}

const hex = (label: string, part: string, bytes: Uint8Array): Row => ({
  label,
  part,
  content: [element("code", toHex(bytes))],
});

/** Bars whose lengths are the numbers of operations of each type, and these numbers. */
function countByType(operations: readonly Operation[]): (string | Node)[] {
  const counts = new Map<string, number>();
  for (const { op } of operations) counts.set(op, (counts.get(op) ?? 0) + 1);
  const bar = element("span", [], "bar");
  bar.ariaHidden = "true";
  const legend = element("span", [], "legend");
  for (const [op, count] of counts) {
    const part = element("i", [], op);
    part.style.flexGrow = String(count);
    bar.append(part);
    legend.append(element("span", [element("i", [], op), `${op} ${number(count)}`]));
  }
  return [element("span", number(operations.length)), bar, legend];
}
