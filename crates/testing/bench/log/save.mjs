// The file of results: one member for each part, and the newest run of a part replaces the one before.

import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Puts the result of a part into the file. */
export function save(file, name, result) {
  const all = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  writeFileSync(file, `${JSON.stringify({ ...all, [name]: result }, null, 2)}\n`);
}
