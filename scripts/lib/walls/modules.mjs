// The imports between the files of a Rust crate.

import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path/posix";

/**
 * For each file of a crate's library: the other files whose items it names. A name that a module only passes on is that of
 * the file that defines it. Without `tests`, modules of unit tests are left out.
 */
export function moduleImports(src, { tests = false } = {}) {
  const paths = readdirSync(src, { recursive: true })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".rs") && path !== "main.rs" && !path.startsWith("bin/"));
  return importsAmong(
    new Map(paths.sort().map((path) => [path, readFileSync(`${src}/${path}`, "utf8")])),
    { tests },
  );
}

/** The same for files by their paths, with their texts. */
export function importsAmong(texts, { tests = false } = {}) {
  const files = new Map();
  for (const [path, text] of texts) files.set(moduleOf(path), parsed(path, text, tests));
  const name = (found) => files.get(found).path;
  return new Map(
    [...files].map(([module, file]) => {
      const found = file.named.flatMap((segments) => resolve(files, module, segments));
      const others = new Set(found.filter((other) => other !== module).map(name));
      return [file.path, [...others].sort()];
    }),
  );
}

/** The path of a module, such as `chain::store`, from that of its file. */
function moduleOf(path) {
  if (path === "lib.rs") return "";
  return path.replace(/(\/mod)?\.rs$/, "").replaceAll("/", "::");
}

/** What a file imports under which name, and the paths that it names. */
function parsed(path, text, tests) {
  const code = withoutTests(withoutComments(text), tests);
  const uses = new Map();
  const globs = [];
  const named = [];
  const passedOn = [];
  const others = code.replace(/\b(pub\b(?:\([^)]*\))?\s+)?use\s+([^;]+);/g, (_, shown, tree) => {
    for (const { segments, alias } of leaves(tree)) {
      if (alias === "*") globs.push(segments);
      else uses.set(alias, [...(uses.get(alias) ?? []), segments]);
      (shown ? passedOn : named).push({ segments, alias });
    }
    return "";
  });
  const rest = others.replace(/\bmod\s+\w+;/g, "");
  const own = passedOn.filter(({ alias }) => {
    return alias !== "*" && new RegExp(`\\b${alias}\\b`).test(rest);
  });
  const inline = [...rest.matchAll(/(?<![\w:])(?:\w+::)+\w+/g)].map(([found]) => found.split("::"));
  const all = [...named, ...own];
  return { path, code, uses, globs, named: [...all.map(({ segments }) => segments), ...inline] };
}

/** The code without comments, and with empty literals. */
function withoutComments(text) {
  const skipped = /\/\/[^\n]*|\br(#*)"[^]*?"\1|"(?:[^"\\]|\\[^])*"|'(?:\\[^]|[^\\'\n])'/g;
  return text.replace(skipped, (found) => (found.startsWith("//") ? "" : '""'));
}

/** The code without its module of tests, or with it as if its items were the file's own. */
function withoutTests(code, tests) {
  const at = code.search(/^#\[cfg\(test\)\](\s*#\[[^\]]*\])*\s*mod tests \{/m);
  if (at < 0) return code;
  return code.slice(0, at) + (tests ? code.slice(at).replace(/(?<!::)\bsuper::/g, "self::") : "");
}

/** The paths of a tree of imports, each with the name that it gets. */
function leaves(tree, before = []) {
  const open = tree.indexOf("{");
  const path = (open < 0 ? tree : tree.slice(0, open)).trim();
  const [names, renamed] = path.split(/\s+as\s+/);
  const segments = [...before, ...names.split("::").filter(Boolean)];
  if (open >= 0) {
    return branches(tree.slice(open + 1, tree.lastIndexOf("}"))).flatMap((it) =>
      leaves(it, segments),
    );
  }
  const last = segments.at(-1);
  if (last === "self" || last === "*") {
    const module = segments.slice(0, -1);
    return [{ segments: module, alias: last === "*" ? "*" : (renamed ?? module.at(-1)) }];
  }
  return [{ segments, alias: renamed ?? last }];
}

/** The parts of a list of imports between its outermost commas. */
function branches(list) {
  const parts = [""];
  let depth = 0;
  for (const char of list) {
    if (char === "{") depth++;
    if (char === "}") depth--;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** The modules whose files define what a path, seen from a module, names; none if it is of another crate. */
function resolve(files, from, segments, seen = new Set()) {
  const key = `${from} ${segments.join("::")}`;
  if (seen.has(key)) return [];
  seen.add(key);
  const join = (module, name) => (module === "" ? name : `${module}::${name}`);
  let [module, rest] = [from, segments];
  if (rest[0] === "crate") [module, rest] = ["", rest.slice(1)];
  else if (rest[0] === "self" || rest[0] === "super") {
    if (rest[0] === "self") rest = rest.slice(1);
    while (rest[0] === "super") {
      [module, rest] = [module.split("::").slice(0, -1).join("::"), rest.slice(1)];
    }
  } else if (!files.has(join(module, rest[0])) && !files.get(module).uses.has(rest[0])) return [];
  while (rest.length > 0 && files.has(join(module, rest[0]))) {
    [module, rest] = [join(module, rest[0]), rest.slice(1)];
  }
  if (rest.length === 0) return [module];
  const { uses, globs, code } = files.get(module);
  const passedOn = uses.get(rest[0])?.flatMap((path) => resolve(files, module, path, seen)) ?? [];
  if (passedOn.length > 0 || uses.has(rest[0])) return passedOn;
  if (defines(code, rest[0])) return [module];
  const globbed = globs.flatMap((path) => resolve(files, module, [...path, rest[0]], seen));
  return globbed.length > 0 ? globbed : [module];
}

const defines = (code, name) =>
  new RegExp(`\\b(?:fn|struct|enum|trait|type|const|static|union|macro_rules!)\\s+${name}\\b`).test(
    code,
  );

/** Files beside a folder of the same name, whose place is `mod.rs` in it. */
export function besideFolders(paths) {
  const folders = new Set(paths.map((path) => dirname(path)));
  return paths.filter((path) => folders.has(path.replace(/\.rs$/, "")));
}
