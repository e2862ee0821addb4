/** How the command prints: a line at a time, JSON on request. */

import { EquivocationError } from "../client/equivocation.js";
import { VerifyError } from "../error.js";
import { evidenceJson } from "./evidence.js";
import { dim, plain, safe, type SafeText, text, visible, wrap } from "./text.js";

/** Prints a line. */
export function print(line: string | SafeText = ""): void {
  process.stdout.write(`${safe(line)}\n`);
}

/** Prints what others wrote at any length, so that no line of the terminal begins with it. */
export function printWrapped(line: string | SafeText): void {
  const { isTTY, columns } = process.stdout;
  process.stdout.write(`${isTTY ? wrap(plain(line), columns) : plain(line)}\n`);
}

/** Prints a value as JSON. */
export function printJson(value: unknown): void {
  // JSON escapes control characters itself, but not all.
  const lines = JSON.stringify(value, undefined, 2).split("\n");
  process.stdout.write(`${lines.map(visible).join("\n")}\n`);
}

/** Prints a value as JSON in one line. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${visible(JSON.stringify(value))}\n`);
}

/** A name and what belongs to it. */
export type Row = readonly [name: string, of: string | SafeText];

/** Prints rows, the names as wide as the widest. */
export function printRows(rows: readonly Row[], indent = "  "): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, of] of rows) print(text`${indent}${dim(name.padEnd(width))}  ${of}`);
}

/** The failures of servers that were printed. */
const told = new WeakSet<VerifyError>();

/** Prints what a server did; with one server alone it is also what the command ends with. */
export function printFailure(host: string, error: VerifyError): void {
  told.add(error);
  complain(text`${host}: ${describe(error)}`);
}

/** Prints what went wrong before there was a verdict; `file` is what it went wrong with. */
export function printError(error: unknown, json: boolean, file?: string): void {
  if (error instanceof VerifyError && json) {
    const evidence = error instanceof EquivocationError && { evidence: evidenceJson(error) };
    printJson({ ...(file !== undefined && { file }), error, ...evidence });
    return;
  }
  if (error instanceof VerifyError && told.has(error)) return;
  complain(file === undefined ? describe(error) : text`${file}: ${describe(error)}`);
}

/** Prints a problem to standard error. */
export function complain(problem: string | SafeText): void {
  const { isTTY, columns } = process.stderr;
  const lines = plain(text`prooflight: ${problem}`);
  process.stderr.write(`${isTTY ? wrap(lines, columns) : lines}\n`);
}

function describe(error: unknown): string | SafeText {
  if (error instanceof VerifyError) {
    const refused = text`${error.code} / ${error.reason}\n  ${error.message}`;
    if (!(error instanceof EquivocationError)) return refused;
    const evidence = JSON.stringify(evidenceJson(error), undefined, 2).split("\n");
    return evidence.reduce((above, line) => text`${above}\n${line}`, refused);
  }
  if (!(error instanceof Error)) return String(error);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^ +at /.test(line));
  return frames.reduce(
    (above, frame) => text`${above}\n    ${frame.trim()}`,
    text`${String(error)}`,
  );
}
