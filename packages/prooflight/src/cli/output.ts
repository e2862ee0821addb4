/** How the command prints: a line at a time, JSON on request. */

import { VerifyError } from "../error.js";
import { dim, safe, type SafeText, text, visible } from "./text.js";

/** Prints a line. */
export function print(line: string | SafeText = ""): void {
  process.stdout.write(`${safe(line)}\n`);
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

/** Prints rows of a name and what belongs to it, the names as wide as the widest. */
export function printRows(rows: readonly (readonly [name: string, of: string | SafeText])[]): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, of] of rows) print(text`  ${dim(name.padEnd(width))}  ${of}`);
}

/** Prints what went wrong before there was a verdict; `file` is what it went wrong with. */
export function printError(error: unknown, json: boolean, file?: string): void {
  if (error instanceof VerifyError && json) {
    printJson({ ...(file !== undefined && { file }), error });
    return;
  }
  complain(file === undefined ? describe(error) : text`${file}: ${describe(error)}`);
}

/** Prints a problem to standard error. */
export function complain(problem: string | SafeText): void {
  process.stderr.write(safe(text`prooflight: ${problem}\n`));
}

function describe(error: unknown): string | SafeText {
  if (error instanceof VerifyError) {
    return text`${error.code} / ${error.reason}\n${error.message}`;
  }
  if (!(error instanceof Error)) return String(error);
  const [first = "", ...rest] = (error.stack ?? String(error)).split("\n");
  return rest.reduce((above, line) => text`${above}\n    ${line.trim()}`, text`${first}`);
}
