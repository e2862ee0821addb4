import { VerifyError } from "../error.js";
import type { Code } from "../registry.js";

/** The exit codes. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unavailable: 3,
  unsupported: 4,
  /** Valid, but only relative to a checkpoint or key in the file itself. */
  unpinned: 5,
  internal: 70,
} as const;

const OF_CODE: Readonly<Record<Code, number>> = {
  malformed: EXIT.refused,
  mismatch: EXIT.refused,
  untrusted: EXIT.refused,
  invalid_input: EXIT.usage,
  unavailable: EXIT.unavailable,
  unsupported: EXIT.unsupported,
  internal: EXIT.internal,
};

/** The exit code for a thrown value. */
export function exitCodeOf(error: unknown): number {
  return error instanceof VerifyError ? OF_CODE[error.code] : EXIT.internal;
}
