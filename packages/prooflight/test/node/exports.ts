/** What the entries of the package export, with the comments of it. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";

const root = fileURLToPath(new URL("../../", import.meta.url));

const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { exports: object };

/**
 * The modules that users import: `index` is the package itself, `avl` its entry `prooflight/avl`. Those below `inline`
 * export the same.
 */
export const ENTRIES = Object.keys(exports)
  .filter((path) => /^\.(\/\w+)?$/.test(path) && path !== "./inline")
  .map((path) => (path === "." ? "index" : path.slice("./".length)));

/** How users import an entry. */
export const specifierOf = (entry: string) =>
  entry === "index" ? "prooflight" : `prooflight/${entry}`;

/** Something that an entry exports. */
export interface Exported {
  entry: string;
  /** Its name in the entry. */
  name: string;
  symbol: ts.Symbol;
  /** Whether it is a function or a class. */
  callable: boolean;
  /** Its comments, one for each overload that has one, without their stars. */
  text: string;
}

/** The exports of every entry, by the sources or by the declarations of the build. */
export function exportsOf(folder: "src" | "dist"): Exported[] {
  const extension = folder === "src" ? "ts" : "d.ts";
  const files = ENTRIES.map((entry) => `${root}${folder}/${entry}.${extension}`);
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
  });
  const checker = program.getTypeChecker();
  return ENTRIES.flatMap((entry, index) => {
    const file = files[index] ?? "";
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`no module: ${file}`);
    return checker.getExportsOfModule(module).map((exported) => {
      const alias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = alias ? checker.getAliasedSymbol(exported) : exported;
      const callable = (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class)) !== 0;
      return { entry, name: exported.name, symbol, callable, text: commentOf(symbol) };
    });
  });
}

/** The comments of a symbol's declarations, without their stars. */
export function commentOf(symbol: ts.Symbol): string {
  const written = (symbol.declarations ?? []).flatMap((declaration) =>
    ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc),
  );
  return written.map((comment) => comment.getText().replace(/^\s*\* ?/gm, "")).join("\n");
}

/** The code of the examples in a comment. */
export function examplesIn(text: string): string[] {
  return Array.from(text.matchAll(/^@example\n```ts\n([^]*?)^```$/gm), ([, code = ""]) => code);
}
