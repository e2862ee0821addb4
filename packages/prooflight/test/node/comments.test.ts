/** What editors and the site show of the public names: codes told from reasons, and links that lead somewhere. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";
import { describe, expect, test } from "vitest";

import { REASONS, type Reason } from "../../src/index.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const modules = ["index", "avl", "chain", "lvmt", "mpt", "smt", "provider"];
const files = modules.map((name) => `${root}packages/prooflight/src/${name}.ts`);
const online = "https://github.com/prooflight/prooflight/blob/main/";

const program = ts.createProgram(files, {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
});
const checker = program.getTypeChecker();

interface Comment {
  name: string;
  /** The text, without its stars. */
  text: string;
  /** Whether it is of something that can be called. */
  callable: boolean;
}

/** The comments of what the modules export, and of the members of that. */
const comments = files.flatMap((file) => {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`no module: ${file}`);
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const alias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = alias ? checker.getAliasedSymbol(exported) : exported;
    const members = [...(symbol.members?.values() ?? []), ...(symbol.exports?.values() ?? [])];
    const { name } = symbol;
    return [
      commentOf(symbol, name),
      ...members.map((member) => commentOf(member, `${name}.${member.name}`)),
    ];
  });
});

function commentOf(symbol: ts.Symbol, name: string): Comment {
  const written = (symbol.declarations ?? []).flatMap((declaration) =>
    ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc),
  );
  const texts = written.map((comment) => comment.getText().replace(/^\s*\*+/gm, ""));
  const callable = (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class)) !== 0;
  return { name, text: texts.join("\n").replace(/\s+/g, " "), callable };
}

const isReason = (name: string): name is Reason => Object.hasOwn(REASONS, name);

test("there are comments", () => {
  expect(comments.length).toBeGreaterThan(400);
  const verifyHead = comments.find(({ name }) => name === "verifyHead");
  expect(verifyHead?.text).toContain("`untrusted` / `equivocation`");
});

test("a reason comes after its code, and nothing else does", () => {
  for (const { name, text } of comments) {
    for (const { 1: before, 2: word = "" } of text.matchAll(/(?:`(\w+)` \/ )?`(\w+)`/g)) {
      if (isReason(word)) expect(before, `${name}: ${word}`).toBe(REASONS[word].code);
      else expect(before, `${name}: ${word}`).toBe(undefined);
    }
  }
});

test("every function and class leads to the specification or the guide", () => {
  const without = comments.filter(({ callable, text }) => callable && !text.includes(online));
  expect(without.map(({ name }) => name)).toEqual([]);
});

describe("every link leads to a heading of a file:", () => {
  const links = comments.flatMap(({ text }) =>
    [...text.matchAll(/@link (https:\/\/\S+)/g)].map(([, link]) => link ?? ""),
  );
  const own = [...new Set(links)].filter((link) => link.startsWith(online));

  test("there are links", () => {
    expect(own.length).toBeGreaterThan(20);
  });

  test.each(own)("%s", (link) => {
    const [path = "", heading] = link.slice(online.length).split("#");
    expect(existsSync(root + path)).toBe(true);
    if (heading === undefined) return;
    const headings = readFileSync(root + path, "utf8").matchAll(/^#+ (.*)$/gm);
    const anchors = Array.from(headings, ([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    expect(anchors).toContain(heading);
  });
});

test("package.json leads to the guide", () => {
  const { homepage } = JSON.parse(
    readFileSync(`${root}packages/prooflight/package.json`, "utf8"),
  ) as { homepage: string };
  expect(homepage.startsWith(online)).toBe(true);
  expect(existsSync(root + homepage.slice(online.length))).toBe(true);
});
