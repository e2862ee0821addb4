// Links in Markdown files, and their targets.

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";

import { filesUnder } from "./fingerprint.mjs";

/** Folders of files that nobody wrote: built, installed or kept by git. */
export const NOT_WRITTEN = new Set([".cache", ".git", "dist", "node_modules", "pkg", "target"]);

/** Every Markdown file of the repository. */
export const markdownFiles = () =>
  filesUnder(["."], NOT_WRITTEN).filter((path) => path.endsWith(".md"));

/** The dead links of a Markdown file, with their lines: relative links, anchors and labels. */
export function deadLinks(path) {
  const lines = prose(readFileSync(path, "utf8")).split("\n");
  const labels = new Set(lines.flatMap((line) => DEFINITION.exec(line)?.[1] ?? []));
  return lines.flatMap((line, index) => {
    const targets = [...line.matchAll(INLINE)].map((match) => match[1]);
    const definition = DEFINITION.exec(line);
    if (definition) targets.push(definition[2]);
    const dead = targets.filter((target) => !leads(path, target));
    const cited = definition ? [] : [...line.matchAll(CITATION)].map((match) => match[1]);
    dead.push(...cited.filter((label) => !labels.has(label)));
    return dead.map((link) => `${path}:${index + 1}: ${link}`);
  });
}

/** `[text](target)`, with one pair of brackets within the text. */
const INLINE = /\[(?:[^[\]]|\[[^[\]]*\])*\]\(([^()\s]+)\)/g;
const DEFINITION = /^\[([^\]]+)\]: (\S+)$/;
/** A section of the specification, such as `[avl 7]`. */
const CITATION = /\[([a-z]+ \d+)\](?![([:])/g;

/** The text with blocks and spans of code blanked out, its lines kept. */
function prose(text) {
  const blank = (code) => code.replace(/[^\n]/g, " ");
  return text.replace(/^( *)```.*?^\1```/gms, blank).replace(/`[^`\n]*`/g, (span) => {
    return "x".repeat(span.length);
  });
}

function leads(from, target) {
  if (/^[a-z]+:/.test(target)) return true;
  const [file, anchor] = target.split("#");
  const path = file === "" ? from : resolve(dirname(from), file);
  if (!existsSync(path)) return false;
  if (anchor === undefined) return true;
  return statSync(path).isFile() && extname(path) === ".md" && anchors(path).has(anchor);
}

/** The anchors of a file's headings. */
function anchors(path) {
  const text = readFileSync(path, "utf8").replace(/^( *)```.*?^\1```/gms, "");
  const found = new Set();
  for (const [, heading] of text.matchAll(/^#+ (.+)$/gm)) {
    const kept = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
    const base = kept.replaceAll(" ", "-");
    let anchor = base;
    for (let again = 1; found.has(anchor); again += 1) anchor = `${base}-${again}`;
    found.add(anchor);
  }
  return found;
}
