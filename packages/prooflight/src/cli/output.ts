/** How the command prints: colours on terminals unless NO_COLOR is set, JSON on request. */

import { VerifyError } from "../error.js";

const coloured = process.stdout.isTTY && !process.env["NO_COLOR"];

const paint = (code: number) => (text: string) =>
  coloured ? `\u001b[${code}m${text}\u001b[0m` : text;

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);

/** Prints a line. */
export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a value as JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}

/** Prints rows of a name and what belongs to it, the names as wide as the widest. */
export function printRows(rows: readonly (readonly [name: string, text: string])[]): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, text] of rows) print(`  ${dim(name.padEnd(width))}  ${text}`);
}

/** Prints what went wrong before there was a verdict; `file` is what it went wrong with. */
export function printError(error: unknown, json: boolean, file?: string): void {
  const prefix = file === undefined ? "prooflight" : `prooflight: ${file}`;
  if (!(error instanceof VerifyError)) {
    process.stderr.write(`${prefix}: ${error instanceof Error ? error.stack : String(error)}\n`);
  } else if (json) {
    printJson({ ...(file !== undefined && { file }), error: error });
  } else {
    process.stderr.write(`${prefix}: ${error.code} / ${error.reason}\n${error.message}\n`);
  }
}
