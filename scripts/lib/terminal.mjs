// Terminal output: colours and aligned columns.

import { stripVTControlCharacters as strip } from "node:util";

/** Whether the output is a terminal that can redraw a line. */
export const live = Boolean(process.stdout.isTTY) && process.env.TERM !== "dumb" && !process.env.CI;

/** Whether to colour: never with NO_COLOR, else on terminals or with FORCE_COLOR. */
export const colour = !process.env.NO_COLOR && (forced() ?? Boolean(process.stdout.isTTY));

export const bold = paint(1, 22);
export const dim = paint(2, 22);
export const red = paint(31, 39);
export const green = paint(32, 39);
export const yellow = paint(33, 39);
export const cyan = paint(36, 39);

/** Prints a line. */
export const say = (line = "") => void process.stdout.write(`${line}\n`);

/** `1.4 s`, `48 s`, `2 min 05 s`. */
export function duration(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** `text` in at most `width` columns. */
export function fit(text, width) {
  const plain = strip(text).replace(/\s+/g, " ").trim();
  return plain.length <= width ? plain : `${plain.slice(0, Math.max(0, width - 1))}…`;
}

/**
 * Lines of a table. `columns` has one letter for each column, `l` or `r`: its alignment. Widths
 * ignore colours.
 */
export function table(rows, columns) {
  const widths = [...columns].map((_, i) =>
    Math.max(...rows.map((row) => strip(String(row[i] ?? "")).length)),
  );
  return rows.map((row) =>
    [...columns]
      .map((side, i) => pad(String(row[i] ?? ""), widths[i], side))
      .join("  ")
      .trimEnd(),
  );
}

function pad(cell, width, side) {
  const space = " ".repeat(width - strip(cell).length);
  return side === "r" ? space + cell : cell + space;
}

function paint(on, off) {
  return (text) => (colour ? `\x1b[${on}m${text}\x1b[${off}m` : String(text));
}

function forced() {
  const value = process.env.FORCE_COLOR;
  return value === undefined ? undefined : value !== "0" && value !== "false";
}
