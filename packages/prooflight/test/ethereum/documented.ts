/** What `docs/guide/ethereum-provider.md` says about methods: those in its tables, and how the others are refused. */

import { readFileSync } from "node:fs";

import { here } from "./folders.js";

const guide = readFileSync(here("../../../../docs/guide/ethereum-provider.md"), "utf8");

/** The rows of the first table below a heading, without its head. */
function rowsBelow(heading: string): string[][] {
  const [, section] = guide.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`the guide has no part "${heading}"`);
  const [rest = ""] = section.split("\n## ");
  const lines = rest.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const namesIn = (cell: string) =>
  [...cell.matchAll(/`([a-z]+_\w*…?\w*)`/g)].map(([, name]) => name ?? "");

/** Whether a name of a table is this method; `…` stands for any letters. */
const isNamed = (name: string, method: string) => {
  const [start = "", end] = name.split("…");
  return end === undefined ? name === method : method.startsWith(start) && method.endsWith(end);
};

/** How a request is refused. */
export interface Refused {
  code: number;
  reason: string;
}

const refusals = rowsBelow("What is refused").map(([what = "", code = "", reason = ""]) => ({
  what,
  names: namesIn(what),
  refused: { code: Number(code), reason: reason.replaceAll("`", "") },
}));

const others = refusals.find(({ what }) => what === "any other method");

/** The codes of all refusals in the table. */
export const CODES: ReadonlySet<number> = new Set(refusals.map(({ refused }) => refused.code));

/** The names of methods in the table of refusals. */
export const REFUSED: readonly string[] = refusals.flatMap(({ names }) => names);

/** How a method is refused that is not offered. */
export function refusalOf(method: string): Refused {
  const row = refusals.find(({ names }) => names.some((name) => isNamed(name, method)));
  const found = row ?? others;
  if (!found) throw new Error(`the guide does not say how ${method} is refused`);
  return found.refused;
}

/** What an error of that refusal has. */
export function refusedAs(method: string) {
  const { code, reason } = refusalOf(method);
  return { code, data: { reason } };
}

const offered = rowsBelow("The methods").flatMap(([what = ""]) => namesIn(what));

/** Whether the table of methods has this one. */
export const isDocumented = (method: string): boolean =>
  offered.some((name) => isNamed(name, method));
