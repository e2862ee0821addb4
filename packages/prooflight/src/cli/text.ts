/**
 * Text that is safe to print: what comes from files and errors loses the characters that terminals
 * obey or do not show, and only this command's own colours and line ends are left.
 */

const coloured = process.stdout.isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

/** What {@link text} and the colours make; a plain string is not trusted. */
export class SafeText {
  readonly safe: string;

  constructor(safe: string) {
    this.safe = safe;
  }
}

type Part = string | number | SafeText;

/** A template whose own characters are kept, and whose values are made visible. */
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

/** The characters of a part, fit to be printed. */
export function safe(part: Part): string {
  return part instanceof SafeText ? part.safe : visible(String(part));
}

/** The same without colours: every escape character in it is one of theirs. */
export function plain(part: Part): string {
  // eslint-disable-next-line no-control-regex -- it looks for what `paint` writes
  return safe(part).replace(/\u001b\[\d+m/g, "");
}

/**
 * Writes characters that terminals obey or do not show as JSON escapes them: control characters, those
 * that turn the direction of writing or join others, and those without a shape.
 */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

/**
 * The text that bytes are, if people can read it and it can pass for nothing else; undefined for other bytes.
 *
 * Look-alikes of letters remain: the digits beside the text are what tells two keys apart. Left out are
 * symbols, among which are the marks of a verdict, letters that are written from right to left, which
 * move the digits beside them, and spaces that a line of this command has between two things.
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
 * Breaks lines that are wider than a terminal, and indents what goes on.
 *
 * The terminal would break them as well, but then what somebody else wrote could begin a line.
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
    // A word that is longer than the line is broken as well.
    const end = space > width / 2 ? space : width;
    lines.push(rest.slice(0, end).join(""));
    const next = rest.slice(end === space ? end + 1 : end);
    rest = Array.from(INDENT).concat(next);
  }
  return [...lines, rest.join("")];
}
