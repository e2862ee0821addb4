// The imports between files of a TypeScript folder, and cycles among them.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";

/** The imports of every .ts file under `folder`, types included: paths in it, or names of packages. */
export function importsOf(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"));
  const read = (path) => importsIn(path, readFileSync(`${folder}/${path}`, "utf8"));
  return new Map(files.map((path) => [path, read(path)]));
}

/** The imports of a file with this path and text. */
export function importsIn(path, text) {
  const resolve = (name) =>
    name.startsWith(".") ? join(dirname(path), name).replace(/\.js$/, ".ts") : name;
  return [...text.matchAll(IMPORT)].map(([, from, alone, late]) => resolve(from ?? alone ?? late));
}

/** An import statement, which may span lines, or a call of `import`. */
const IMPORT =
  /^(?:(?:import|export)\b[^"'`;]*|\}) from "([^"\n]+)"|^import "([^"\n]+)"|\bimport\(\s*"([^"\n]+)"/gm;

/** The imports between folders; a file outside of any folder stands for itself. */
export function byFolder(imports) {
  const folderOf = (path) => path.split("/")[0];
  const folders = new Map();
  for (const [path, names] of imports) {
    const from = folderOf(path);
    const others = names.filter((name) => imports.has(name)).map(folderOf);
    const all = [...(folders.get(from) ?? []), ...others.filter((to) => to !== from)];
    folders.set(from, all);
  }
  return folders;
}

/** A cycle, as the list of its names; undefined if there is none. */
export function circle(imports) {
  const done = new Set();
  const visit = (name, path) => {
    const at = path.indexOf(name);
    if (at >= 0) return path.slice(at);
    if (done.has(name)) return undefined;
    for (const next of imports.get(name) ?? []) {
      const found = visit(next, [...path, name]);
      if (found) return found;
    }
    done.add(name);
    return undefined;
  };
  for (const name of imports.keys()) {
    const found = visit(name, []);
    if (found) return found;
  }
  return undefined;
}

/** The groups of names that lead to each other, each sorted. */
export function circles(imports) {
  const reached = new Map([...imports.keys()].map((name) => [name, reachable(imports, name)]));
  const groups = new Map();
  for (const [name, names] of reached) {
    if (!names.has(name)) continue;
    const group = [...names].filter((other) => reached.get(other)?.has(name)).sort();
    groups.set(group[0], group);
  }
  return [...groups.values()];
}

/** The names to which a name leads. */
function reachable(imports, name) {
  const reached = new Set();
  const pending = [...imports.get(name)];
  while (pending.length > 0) {
    const next = pending.pop();
    if (reached.has(next)) continue;
    reached.add(next);
    pending.push(...(imports.get(next) ?? []));
  }
  return reached;
}
