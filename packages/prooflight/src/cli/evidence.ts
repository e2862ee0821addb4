import { toHex } from "../bytes.js";
import type { Ancestor, EquivocationError } from "../client/equivocation.js";

interface AncestorJson {
  header: string;
  path: string[];
}

/** What the authorities signed, as `--json` prints it: all that someone else needs to see it too. */
export interface EvidenceJson {
  height: string;
  accepted: { hash: string; signed: string | null; ancestor: AncestorJson | null };
  conflicting: { signed: string; ancestor: AncestorJson | null };
}

/** The evidence of two histories in JSON. */
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
