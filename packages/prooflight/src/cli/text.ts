/**
 * Text that is safe to print. Characters in files and errors that a terminal would interpret, or not show, are
 * escaped; only this command's own colours and line ends remain.
 */

const coloured = process.stdout.isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

/** Text made by {@link text} or a colour. A plain string is untrusted. */
export class SafeText {
  readonly safe: string;

  constructor(safe: string) {
    this.safe = safe;
  }
}

type Part = string | number | SafeText;

/** A template: its literal parts are kept, its values escaped. */
export function text(strings: TemplateStringsArray, ...values: Part[]): SafeText {
  return new SafeText(String.raw({ raw: strings }, ...values.map(safe)));
}

const paint = (code: number) => (part: Part) =>
  new SafeText(coloured ? `\u001b[${code}m${safe(part)}\u001b[0m` : safe(part));

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);

/** A part with unsafe characters escaped. */
export function safe(part: Part): string {
  return part instanceof SafeText ? part.safe : visible(String(part));
}

/** The same without colours. Any escape character in it is part of a colour. */
export function plain(part: Part): string {
  // eslint-disable-next-line no-control-regex -- it looks for what `paint` writes
  return safe(part).replace(/\u001b\[\d+m/g, "");
}

/**
 * Escapes, as in JSON, the characters that a terminal interprets or does not show: control characters, marks of
 * direction, joiners, and invisible ones.
 */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

/**
 * The bytes as text, if it is readable and cannot imitate this command's output; else undefined.
 *
 * It refuses symbols, since verdicts are marked with some; letters written from right to left, which would
 * move the digits next to them; and double spaces, which separate the parts of a line. Similar-looking letters
 * are accepted: the digits next to the text distinguish keys.
 */
export function readable(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > LONGEST_TEXT) return undefined;
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const fits =
      SHAPES.test(decoded) && !RIGHT_TO_LEFT.test(decoded) && !/^ | $| {2}/.test(decoded);
    return fits && visible(decoded) === decoded ? decoded : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_TEXT = 64;
const SHAPES = /^[\p{L}\p{N}\p{P}\p{Sc}\p{Sk}\p{Sm} ]+$/u;
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Breaks lines that are wider than the terminal, and indents their continuations.
 *
 * If the terminal broke them, untrusted text could begin a line.
 */
export function wrap(text: string, width: number): string {
  const lines = text.split("\n").map((line) => broken(line, Math.max(width, NARROWEST)));
  return lines.flat().join("\n");
}

const NARROWEST = 20;
const INDENT = "    ";

function broken(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = Array.from(line);
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    // A word longer than half the line is broken.
    const end = space > width / 2 ? space : width;
    lines.push(rest.slice(0, end).join(""));
    const next = rest.slice(end === space ? end + 1 : end);
    rest = Array.from(INDENT).concat(next);
  }
  return [...lines, rest.join("")];
}
