/**
 * Text that is safe to print: what comes from files and errors loses the characters that terminals
 * obey, and only this command's own colours and line ends are left.
 */

const coloured = process.stdout.isTTY && !process.env["NO_COLOR"];

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

/** Writes control characters, and those that turn the direction of writing, as JSON escapes them. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
