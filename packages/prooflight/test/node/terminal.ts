/** A terminal that wraps: what people see of the command's output, whatever the width of its characters. */

/** The columns of a character, as terminals count them. */
export type Columns = (character: string) => number;

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Terminals differ about letters of ambiguous width, emoji and combining marks. */
export const TERMINALS: Readonly<Record<string, Columns>> = {
  "that follows Unicode": (one) => (/\p{M}/u.test(one) ? 0 : WIDE.test(one) ? 2 : 1),
  "of East Asia": (one) => (/\p{M}/u.test(one) ? 0 : one > "~" ? 2 : 1),
  "without wide characters": () => 1,
  "that gives each mark a column": (one) => (WIDE.test(one) ? 2 : 1),
};

/** What colours text. */
// eslint-disable-next-line no-control-regex -- a colour begins with a control character
export const COLOURS = /\u001b\[\d+m/g;

/** The rows of the screen. A wide character that does not fit into a row begins the next one. */
export function rows(output: string, width: number, columns: Columns): string[] {
  const plain = output.replace(COLOURS, "").replace(/\n$/, "");
  return plain.split("\n").flatMap((line) => {
    const shown: string[] = [];
    let [row, column] = ["", 0];
    for (const character of line) {
      const taken = columns(character);
      if (column + taken > width) {
        shown.push(row);
        [row, column] = ["", 0];
      }
      row += character;
      column += taken;
    }
    return [...shown, row];
  });
}
