/** Prints the verdict of `prooflight verify` as text. */

import { fromHex, parseQuantity } from "../bytes.js";
import type { VerifyError } from "../error.js";
import type { Json } from "../statement/json.js";
import { absenceText, keyText, layerText, timeOf, valueText } from "./chain.js";
import { print, printRows, type Row } from "./output.js";
import { bold, CHECK_MARK, CROSS_MARK, dim, red, type SafeText, text, yellow } from "./text.js";
import { insecureMark, printInsecureNote, type Unpinned } from "./trust.js";

/** The most items of a list that are shown. `--json` prints all. */
const SHOWN = 20;

/** A verified statement, and its trusted inputs. */
export interface Proven {
  /** The kind of the statement. */
  name: string;
  scheme: string;
  unpinned: readonly Unpinned[];
  trusted: Record<string, Json>;
  question: Record<string, Json>;
  answer: Record<string, Json>;
  /** Trusted members that were taken from the answer, not from options. */
  taken: readonly string[];
}

/** Prints that a statement is valid. `subjects` names the subject of each result. */
export function printProven(proven: Proven, subjects: readonly string[]): void {
  const { name, scheme, unpinned, trusted, question, answer, taken } = proven;
  const compat = trusted["mode"] === "compat";
  const insecure = trusted["allowInsecureSetup"] === true;
  const marks = text`${compat ? yellow(" in compat mode") : ""}${insecureMark(insecure)}`;
  const verdict =
    unpinned.length === 0
      ? text`${CHECK_MARK} ${bold("verified")}`
      : text`${yellow("?")} ${bold("unpinned")}`;
  print(text`${verdict}${marks}  ${scheme} ${name}`);
  for (const one of unpinned) printUnpinned(one);
  if (compat) {
    print();
    print(
      "  Compat mode accepts more than an honest prover writes; leave mode out unless you need it.",
    );
  }
  printInsecureNote(insecure);
  print();
  print(
    "  It depends on these facts, which you must know from a source that you trust, not from the file:",
  );
  printMembers(trusted, plain);
  if (taken.length > 0) {
    const options = taken.map((member) => (member === "slots" ? "--slot" : `--${member}`));
    print();
    print(
      `  The answer itself names the ${taken.join(" and the ")}; ${options.join(" and ")} say what was asked for.`,
    );
  }
  const list = LISTS.find((member) => Array.isArray(answer[member]));
  const results = list === undefined ? [] : (answer[list] as Json[]);
  const asked = without(question, list === undefined ? [] : ["keys", "ops"]);
  if (Object.keys(asked).length > 0) {
    print();
    print("  The question:");
    printMembers(asked, plain);
  }
  const answerText = (member: Json, name: string) =>
    typeof member === "string" && name !== "value" ? plain(member, name) : inWords(member);
  const shown = without(answer, list === undefined ? [] : [list, "neighbours"]);
  if (Object.keys(shown).length > 0) {
    print();
    print("  The proof shows:");
    printMembers(shown, answerText);
  }
  if (list !== undefined && results.length > 0) {
    print();
    print(`  ${headline(list, scheme)}`);
    // Slots and their values are integers; other keys and values are bytes.
    if (list === "storage")
      printResults(
        subjects,
        results.map((result) => plain(result)),
      );
    else
      printResults(
        subjects.map(subjectText),
        results.map((result) => inWords(result)),
      );
  }
}

/** The members of an answer that are lists with one item for each subject. */
const LISTS = ["results", "values", "storage", "answers"] as const;

function headline(list: (typeof LISTS)[number], scheme: string): string {
  if (list === "storage") return "Each slot:";
  return list === "results" && scheme === "avl"
    ? "Each key before its operation:"
    : "Each key in that state:";
}

function printUnpinned({ what, remedy }: Unpinned): void {
  print();
  print(
    `  It is verified only relative to ${what} in the file, which whoever made the file could choose.`,
  );
  print(`  To verify it from yours, ${remedy}.`);
}

/** Prints that a statement was refused. */
export function printRefused(
  name: string,
  scheme: string,
  error: VerifyError,
  permits: boolean,
): void {
  print(text`${CROSS_MARK} ${bold("refused")}  ${scheme} ${name}`);
  print();
  printRows([
    ["code    ", red(error.code)],
    ["reason  ", red(error.reason)],
  ]);
  print(text`  expected  ${error.details.expected}`);
  print(text`  found     ${error.details.found}`);
  if (permits && error.reason === "insecure_setup") {
    print();
    print("  The file allows an insecure setup, which only --allow-insecure-setup can.");
  }
}

/** Formats a value, or an item of a list, of the member `name`. */
type Words = (value: Json, name: string) => string | SafeText;

/** Prints the members of an object, each in a row; nested ones are indented below their name. */
function printMembers(members: Readonly<Record<string, Json>>, words: Words, indent = "  "): void {
  let rows: Row[] = [];
  const flush = () => {
    if (rows.length > 0) printRows(rows, indent);
    rows = [];
  };
  for (const [name, value] of Object.entries(members)) {
    if (Array.isArray(value)) {
      rows.push(...listRows(name, value, words));
    } else if (typeof value === "object" && value !== null && JSON.stringify(value).length > 60) {
      flush();
      print(text`${indent}${dim(name)}`);
      printMembers(value, plain, `${indent}  `);
    } else {
      rows.push([name, words(value, name)]);
    }
  }
  flush();
}

function listRows(name: string, items: Json[], words: Words): Row[] {
  if (items.length === 0) return [[name, dim("none")]];
  if (items.every((item) => typeof item === "number")) return [[name, items.join(", ")]];
  const rows = items
    .slice(0, SHOWN)
    .map((item, i): Row => [i === 0 ? name : "", words(item, name)]);
  return items.length > SHOWN ? [...rows, ["", more(items.length)]] : rows;
}

/** A key; in a batch, after its operation. */
const subjectText = (subject: string) => (isBytes(subject) ? keyText(fromHex(subject)) : subject);

const isBytes = (text: string) => text.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(text);

function printResults(
  subjects: readonly (string | SafeText)[],
  results: readonly (string | SafeText)[],
): void {
  subjects.slice(0, SHOWN).forEach((subject, index) => {
    print(text`  ${subject}`);
    print(text`    ${results[index] ?? ""}`);
  });
  if (results.length > SHOWN) print(text`  ${more(results.length)}`);
}

const more = (all: number) => dim(`and ${all - SHOWN} more; --json prints all`);

/** A value as in the file, a string without quotes; numbers and times also in readable form. */
function plain(value: Json, name = ""): string | SafeText {
  if (typeof value !== "string") return JSON.stringify(value);
  const number = parseQuantity(value);
  if (number === undefined) return value;
  if (TIMES.has(name)) return text`${value}  ${dim(timeOf(number))}`;
  return HEIGHTS.has(name) && number > 9n ? text`${value}  ${dim(String(number))}` : value;
}

const TIMES: ReadonlySet<string> = new Set(["now", "genesisTimestampMs"]);
const HEIGHTS: ReadonlySet<string> = new Set(["height", "from", "to", "number"]);

/** The value of a key. Null is an absent key, if the scheme shows nothing else about it. */
function inWords(result: Json): string | SafeText {
  if (result === null) return dim("absent");
  if (typeof result === "string") {
    return isBytes(result) ? valueText(fromHex(result)) : result;
  }
  if (typeof result !== "object" || Array.isArray(result)) return plain(result);
  const { key, value, since, deletedAt, layer } = result;
  if (key !== undefined) return plain(result);
  if (typeof layer === "string") {
    return typeof value === "string"
      ? text`${valueText(fromHex(value))}  ${layerText(layer)}`
      : absenceText(layer);
  }
  if (typeof value === "string") {
    const from = typeof since === "string" ? dim(`since block ${BigInt(since)}`) : "";
    return text`${valueText(fromHex(value))}  ${from}`;
  }
  if (typeof deletedAt === "string") return dim(`absent: deleted in block ${BigInt(deletedAt)}`);
  return Object.keys(result).length === 0 ? dim("absent: never written") : plain(result);
}

function without(members: Readonly<Record<string, Json>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
