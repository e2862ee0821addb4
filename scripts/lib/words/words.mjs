// The names of Rust's types, and the rules that they follow.

import { readFileSync } from "node:fs";
import { relative, sep } from "node:path";

import { filesUnder } from "../fingerprint.mjs";
import { inside, root } from "../paths.mjs";

/** The largest share of names of one word. */
export const MAX_SHARE = 0.4;

/** Words that say nothing: with one of them, a name of two words counts as one of one word. */
const EMPTY = new Set(["Data", "Info", "Inner", "Item", "Thing"]);

/** Private types that every scheme may have. */
const FREE = new Set(["Branch", "Leaf", "Node"]);

/** Participles that are right: the result of a check, and a changed state before it is written. */
const PARTICIPLES = new Set(["Prepared", "Verified"]);

/** Nouns that end like participles. */
const NOUNS = new Set(["Children", "Feed", "Screen", "Seed", "Speed", "Token"]);

/** Words that were names once and are no nouns: other participles, pronouns, adverbs and prepositions. */
const NO_NOUNS = new Set([
  ...["Begun", "Built", "Drawn", "Found", "Grown", "Heard", "Held", "Kept", "Known", "Lost"],
  ...["Made", "Met", "Sent", "Shown", "Told"],
  ...["Counting", "Descending", "Growing", "Hashing", "Holding", "Planting", "Proving", "Running"],
  ...["Serving", "Standing", "Syncing"],
  ...["Both", "Mine", "Nothing", "Others", "Ours", "Own", "Theirs", "What", "Where", "Which"],
  ...["WhichTwo", "Who", "Above", "Again", "At", "Before", "Below", "Beside", "By", "Elsewhere"],
  ...["Here", "There", "Together", "Within", "Without"],
]);

/** The types of the sources of all crates and bindings. */
export function workspaceTypes() {
  const files = filesUnder(["crates", "bindings"], new Set(["node_modules", "target"]));
  const paths = files.map((file) => relative(root, file).split(sep).join("/"));
  return paths
    .filter((path) => /\/src\/.*\.rs$/.test(path))
    .flatMap((path) => typesIn(path, readFileSync(inside(path), "utf8")));
}

/**
 * The types that a source declares: `{ path, line, name, isPublic, isConditional }`. Public is what has any `pub`;
 * conditional is what has a `cfg`, or is in a module with one. Associated types are left out.
 */
export function typesIn(path, text) {
  const code = withoutText(text);
  const found = [];
  // The blocks around a place, and where its item begins.
  const blocks = [];
  let start = 0;
  let line = 1;
  for (let at = 0; at < code.length; at += 1) {
    const letter = code[at];
    if (letter === "\n") line += 1;
    if (!/[{};]/.test(letter)) continue;
    const item = code.slice(start, at);
    const isConditional = blocks.at(-1)?.isConditional || CONDITION.test(item);
    const declared = DECLARATION.exec(item);
    const isAssociated = declared?.groups.kind === "type" && blocks.at(-1)?.isOwner;
    if (declared && !isAssociated) {
      const { visibility, name } = declared.groups;
      const lines = item.slice(declared.indices.groups.name[0]).split("\n").length - 1;
      found.push({ path, line: line - lines, name, isPublic: Boolean(visibility), isConditional });
    }
    if (letter === "{") blocks.push({ isOwner: OWNER.test(item), isConditional });
    if (letter === "}") blocks.pop();
    start = at + 1;
  }
  return found;
}

const BEGINNING = String.raw`^\s*(?:#\s*!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)*`;
const VISIBILITY = String.raw`(?<visibility>pub\s*(?:\([^)]*\)\s*)?)?`;

const CONDITION = /^\s*(?:#\s*\[[^\]]*\]\s*)*#\s*\[\s*cfg\b/;

/** An item that declares a type. */
const DECLARATION = new RegExp(
  String.raw`${BEGINNING}${VISIBILITY}(?:unsafe\s+|auto\s+)?(?<kind>struct|enum|trait|union|type)\s+(?<name>[A-Z]\w*)`,
  "d",
);

/** A trait or an `impl`, whose types are associated ones. */
const OWNER = new RegExp(
  String.raw`${BEGINNING}${VISIBILITY}(?:default\s+|unsafe\s+|auto\s+)*(?:impl|trait)\b`,
);

/** Code with blanks for comments, strings and characters, and the same lines. */
function withoutText(text) {
  const blank = (part) => part.replace(/[^\n]/g, " ");
  return text.replace(TEXT, blank);
}

const TEXT = new RegExp(
  [
    String.raw`\/\/[^\n]*`,
    String.raw`\/\*[\s\S]*?\*\/`,
    String.raw`\b(?:b|c)?r(#*)"[\s\S]*?"\1`,
    String.raw`"(?:\\[\s\S]|[^"\\])*"`,
    // A lifetime has no quote behind it.
    String.raw`'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])'`,
  ].join("|"),
  "g",
);

/** The words of a name. */
export const wordsOf = (name) => name.match(/[A-Z]+(?![a-z])\d*|[A-Z][a-z0-9]*/g) ?? [name];

/** Whether a name counts as one of one word. */
export function isOneWord(name) {
  const words = wordsOf(name);
  return words.length === 1 || (words.length === 2 && words.some((word) => EMPTY.has(word)));
}

/** Why a name is no name of a type; undefined if it is one. */
export function fault(name) {
  if (PARTICIPLES.has(name) || NOUNS.has(name)) return undefined;
  if (NO_NOUNS.has(name)) return "not a noun";
  if (wordsOf(name).length === 1 && /(ed|en)$/.test(name)) return "a participle";
  return undefined;
}

/** The counted types: all but those that every scheme may have. */
export const counted = (types) => types.filter(({ name, isPublic }) => isPublic || !FREE.has(name));

/** The types with a name of one word. */
export const ofOneWord = (types) => counted(types).filter(({ name }) => isOneWord(name));

/** What is wrong with the names of types, one line each: where, the name, and the rule. */
export function faults(types) {
  const wrong = types.flatMap((type) => {
    const rule = fault(type.name);
    return rule ? [`${place(type)}: ${rule}`] : [];
  });
  const seen = new Map();
  for (const type of types.filter(({ isPublic, isConditional }) => isPublic && !isConditional)) {
    const key = `${crateOf(type.path)} ${type.name}`;
    const first = seen.get(key);
    if (first)
      wrong.push(`${place(type)}: public a second time, after ${first.path}:${first.line}`);
    else seen.set(key, type);
  }
  return wrong;
}

/** Where a type is declared, and its name. */
export const place = ({ path, line, name }) => `${path}:${line} ${name}`;

/** The folder of a source's crate. */
export const crateOf = (path) => path.slice(0, path.indexOf("/src/"));
