/** Prints lines or JSON to standard output, and problems to standard error. */

import { toHex } from "../bytes.js";
import { type Ancestor, EquivocationError } from "../client/equivocation.js";
import { VerifyError } from "../error.js";
import type { Code } from "../registry.js";
import { withOrigins } from "../url.js";
import { dim, joinLines, plain, safe, type SafeText, text, visible, wrap } from "./text.js";

/** Prints a line, or several. */
export function print(lines: string | SafeText = ""): void {
  write(process.stdout, safe(lines));
}

/** Writes lines. On a terminal they are wrapped, so that untrusted text cannot begin a line of it. */
function write(stream: NodeJS.WriteStream, lines: string): void {
  // Some terminals tell no width.
  stream.write(`${stream.isTTY ? wrap(lines, stream.columns || 80) : lines}\n`);
}

/** Prints a value as JSON. */
export function printJson(value: unknown): void {
  // JSON.stringify does not escape all control characters.
  const lines = JSON.stringify(value, undefined, 2).split("\n");
  process.stdout.write(`${lines.map(visible).join("\n")}\n`);
}

/** Prints a value as JSON in one line. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${visible(JSON.stringify(value))}\n`);
}

/** A label and its content. */
export type Row = readonly [name: string, of: string | SafeText];

/** Prints rows, with their labels padded to one width. */
export function printRows(rows: readonly Row[], indent = "  "): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, of] of rows) print(text`${indent}${dim(name.padEnd(width))}  ${of}`);
}

/** Prints that a bundle was saved, and how to verify it; with `options` beside the checkpoint. */
export function printSaved(file: string, options: readonly string[] = []): void {
  print();
  const flags = ["--checkpoint FILE", ...options].join(" ");
  print(dim(`Saved; check it again with: prooflight verify ${file} ${flags}`));
}

/** The errors of servers that were already printed. */
const printed = new WeakSet<VerifyError>();

/** Prints a server's failure. If it is the only server, the same error later ends the command. */
export function printFailure(host: string, error: VerifyError): void {
  printed.add(error);
  complain(text`${host}: ${describe(error)}`);
}

/** Prints an error that prevented a verdict. */
export function printError(error: unknown, json: boolean): void {
  if (error instanceof VerifyError && json) {
    const evidence = error instanceof EquivocationError && { evidence: evidenceJson(error) };
    printJson({ error, ...evidence });
    return;
  }
  if (error instanceof VerifyError && printed.has(error)) return;
  complain(describe(error));
}

/** Prints the errors of the files that could not be run; as JSON all in one document. */
export function printFileErrors(
  failures: readonly { file: string; error: unknown }[],
  json: boolean,
): void {
  const isJson = ({ error }: { error: unknown }) => json && error instanceof VerifyError;
  const errors = failures.filter(isJson);
  if (errors.length > 0) printJson({ errors });
  for (const failure of failures) {
    if (isJson(failure)) continue;
    complain(text`${withOrigins(failure.file)}: ${describe(failure.error)}`);
  }
}

/** Prints a problem to standard error. */
export function complain(problem: string | SafeText): void {
  write(process.stderr, plain(text`prooflight: ${problem}`));
}

function describe(error: unknown): string | SafeText {
  if (error instanceof VerifyError) {
    const refused = text`${error.code} / ${error.reason}\n  ${error.message}`;
    if (!(error instanceof EquivocationError)) return refused;
    const evidence = JSON.stringify(evidenceJson(error), undefined, 2).split("\n");
    return joinLines([refused, ...evidence]);
  }
  if (!(error instanceof Error)) return String(error);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^ +at /.test(line));
  return joinLines([String(error), ...frames.map((frame) => `    ${frame.trim()}`)]);
}

/** The exit codes. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unavailable: 3,
  unsupported: 4,
  /** Valid, but only relative to a checkpoint or key in the file itself. */
  unpinned: 5,
  /** Verified: the call fails. */
  failedCall: 6,
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
