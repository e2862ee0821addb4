// Citations of the specification in sources: `spec/avl.md`, section 7, or `avl 7`.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { filesUnder } from "./fingerprint.mjs";
import { NOT_WRITTEN } from "./markdown.mjs";
import { inside } from "./paths.mjs";

const SPEC = inside("test-vectors", "spec");

/** The source files under folders of the repository. */
export const sources = (folders) =>
  filesUnder(folders, NOT_WRITTEN).filter((path) => /\.(rs|ts|mjs|py)$/.test(path));

/** The number of citations in a text, and those that name no existing file or section of the specification. */
export function citationsIn(text) {
  const cited = [];
  // A comment continues on the next line after its mark.
  const joined = text.replace(/\n\s*(?:\/\/[/!]?|\*|#) ?/g, " ");
  for (const [whole, name, numbers] of joined.matchAll(LONG)) {
    cited.push([whole, name, numbers?.match(/\d+/g) ?? []]);
  }
  for (const [whole, name, number] of joined.matchAll(SHORT)) cited.push([whole, name, [number]]);
  const leads = (name, numbers) => numbers.every((number) => numbersOf(name)?.has(number));
  const wrong = cited.filter(([, name, numbers]) => !numbersOf(name) || !leads(name, numbers));
  const old = [...joined.matchAll(OLD)].map(([whole]) => whole);
  return { number: cited.length, wrong: [...wrong.map(([whole]) => whole), ...old] };
}

const LONG = /\bspec\/([a-z]+)\.md`?(?:,? sections? ((?:\d+(?:, | and | to )?)+))?/g;
const NAMES = readdirSync(SPEC).map((file) => file.replace(/\.md$/, ""));
const SHORT = new RegExp(`\\b(${NAMES.join("|")}) (\\d+)(?=[,.:;)'"]| and | to )`, "g");
/** Section numbers of the former single-file specification. */
const OLD = /\bSPEC\.md`?,? (?:section )?\d+/g;

const known = new Map();

/** The section numbers of a file. */
function numbersOf(name) {
  const path = join(SPEC, `${name}.md`);
  if (!known.has(name) && existsSync(path)) {
    const headings = readFileSync(path, "utf8").matchAll(/^## (\d+)\. /gm);
    known.set(name, new Set([...headings].map(([, number]) => number)));
  }
  return known.get(name);
}
