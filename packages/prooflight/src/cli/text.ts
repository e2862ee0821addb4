/**
 * Text that is safe to print. Characters in files and errors that a terminal would interpret, reorder or not show, and
 * marks like those of verdicts, are escaped; only this command's own colours, marks and line ends remain.
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

/** Lines below each other. */
export const joinLines = (lines: readonly Part[]): SafeText =>
  new SafeText(lines.map(safe).join("\n"));

const paint = (code: number) => (part: Part) =>
  new SafeText(coloured ? `\u001b[${code}m${safe(part)}\u001b[0m` : safe(part));

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);

/** The marks of verdicts. */
export const CHECK_MARK = green(new SafeText("✔"));
export const CROSS_MARK = red(new SafeText("✘"));

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
 * Escapes, as in JSON, the characters that a terminal interprets, reorders or does not show: control characters, marks
 * of direction, letters written from right to left, joiners, and invisible ones. Also escapes symbols: a terminal that
 * is resized, or shows a file, breaks lines anywhere, and one of them could then begin with the mark of a verdict.
 */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

const INVISIBLE = String.raw`\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`;
const RIGHT_TO_LEFT = String.raw`\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}`;
/** All but those of Latin-1, such as the degree sign. U+221A, a root, looks like a check mark. */
const SYMBOLS = String.raw`\u221a|(?![\u0080-\u00ff])\p{So}`;
const UNSAFE = new RegExp(`[${INVISIBLE}${RIGHT_TO_LEFT}]|${SYMBOLS}`, "gu");

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
    const fits = SHAPES.test(decoded) && !/^ | $| {2}/.test(decoded);
    return fits && visible(decoded) === decoded ? decoded : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_TEXT = 64;
const SHAPES = /^[\p{L}\p{N}\p{P}\p{Sc}\p{Sk}\p{Sm} ]+$/u;

/**
 * Breaks lines that are wider than the terminal, and indents their continuations.
 *
 * If the terminal broke them, untrusted text could begin a line. A line breaks at a space where the next word fits into
 * a line, so that hashes stay whole where they can.
 */
export function wrap(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => broken(line, width))
    .join("\n");
}

function broken(line: string, width: number): string {
  const indent = " ".repeat(width < NARROW_COLUMNS ? 1 : 4);
  let lines = "";
  let [last, column] = ["", 0];
  const next = () => {
    lines += `${last}\n`;
    [last, column] = [indent, indent.length];
  };
  for (const [index, word] of line.split(" ").entries()) {
    const space = index > 0 ? 1 : 0;
    const length = columns(word);
    if (column + space + length <= width) {
      last += `${" ".repeat(space)}${word}`;
      column += space + length;
      continue;
    }
    if (last.trim() !== "" && indent.length + length <= width) {
      next();
      last += word;
      column += length;
      continue;
    }
    for (const part of `${" ".repeat(space)}${word}`.match(PARTS) ?? []) {
      if (column + columns(part) > width) next();
      last += part;
      column += columns(part);
    }
  }
  return lines + last;
}

/** Terminals with fewer columns have no room for the usual indent. */
const NARROW_COLUMNS = 20;

/** Colours and characters. */
// eslint-disable-next-line no-control-regex -- it looks for what `paint` writes
const PARTS = /\u001b\[\d+m|./gsu;

/**
 * The most columns that any terminal gives a text.
 *
 * Terminals differ about letters of ambiguous width, emoji and combining marks, so a character beyond ASCII counts as
 * two columns, the most that it takes anywhere.
 */
function columns(text: string): number {
  let count = 0;
  for (const part of text.match(PARTS) ?? []) {
    if (!part.startsWith("\u001b")) count += part <= "~" ? 1 : 2;
  }
  return count;
}
