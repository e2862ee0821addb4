import { toHex } from "../bytes.js";
import type { Ancestor, EquivocationError } from "../client/equivocation.js";

interface AncestorJson {
  header: string;
  path: string[];
}

/** Evidence of two signed histories, as `--json` prints it. Anyone can check it. */
export interface EvidenceJson {
  height: string;
  accepted: { hash: string; signed: string | null; ancestor: AncestorJson | null };
  conflicting: { signed: string; ancestor: AncestorJson | null };
}

/** Converts the evidence to JSON. */
export function evidenceJson({ evidence }: EquivocationError): EvidenceJson {
  const { height, accepted, conflicting } = evidence;
  return {
    height: String(height),
    accepted: {
      hash: toHex(accepted.hash),
      signed: accepted.signed ? toHex(accepted.signed) : null,
      ancestor: ancestorJson(accepted.ancestor),
    },
    conflicting: {
      signed: toHex(conflicting.signed),
      ancestor: ancestorJson(conflicting.ancestor),
    },
  };
}

const ancestorJson = (ancestor: Ancestor | undefined): AncestorJson | null =>
  ancestor ? { header: toHex(ancestor.header), path: ancestor.path.map(toHex) } : null;
