// The imports between the modules at the top of a Rust crate.

import { readdirSync, readFileSync } from "node:fs";

/** For every .rs file below a module of the crate: the modules at the crate's top that it names. */
export function moduleImports(src) {
  const names = exported(readFileSync(`${src}/lib.rs`, "utf8"));
  const files = readdirSync(src, { recursive: true })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".rs") && path.includes("/"));
  const read = (path) => modulesIn(readFileSync(`${src}/${path}`, "utf8"), names, path);
  return new Map(files.map((path) => [path, read(path)]));
}

/** The modules that a file names from the crate's root; names that the root exports are those of their module. */
export function modulesIn(text, names = new Map(), path = "") {
  const code = text.replace(/\/\/[^\n]*/g, "");
  const found = [...code.matchAll(/\bcrate::(\w+|\{)/g)].flatMap(({ 1: first, index }) => {
    return first === "{" ? heads(code.slice(index + "crate::{".length)) : [first];
  });
  const depth = path.replace(/\/mod\.rs$/, "").split("/").length;
  for (const [supers, next] of code.matchAll(/\b(?:super::)+(\w+)/g)) {
    if (supers.split("super::").length - 1 >= depth) found.push(next);
  }
  return [...new Set(found.map((name) => names.get(name) ?? name))].sort();
}

/** The first names of a list of imports, up to its closing brace. */
function heads(list) {
  let depth = 0;
  let head = "";
  const all = [];
  for (const char of list) {
    if (char === "{") depth++;
    if (char === "," && depth === 0) {
      all.push(head);
      head = "";
    } else if (char === "}" && --depth < 0) {
      break;
    } else {
      head += char;
    }
  }
  return [...all, head].map((text) => /\w+/.exec(text)?.[0]).filter(Boolean);
}

/** The module of each name that a crate's root exports. */
function exported(text) {
  const lines = text.matchAll(/^pub use (\w+)::(?:\w+::)*(\w+|\{[^}]*\});/gm);
  return new Map(
    [...lines].flatMap(([, module, names]) => {
      return names.match(/\w+/g).map((name) => [name, module]);
    }),
  );
}
