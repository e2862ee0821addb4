/** Folders of recorded data: those that the environment names, and those of the repository. */

import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A path from the folder of these tests. */
export const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The folder that a variable of the environment names; undefined if it is not set. */
export function givenFolder(variable: string): string | undefined {
  const given = process.env[variable];
  if (given === undefined || given === "") return undefined;
  // npm runs tests in the package's folder; the path was written in the one that npm was called in.
  const from = [process.env["INIT_CWD"], here("../../../.."), process.cwd()];
  const paths = isAbsolute(given)
    ? [given]
    : from.flatMap((folder) => (folder === undefined ? [] : [resolve(folder, given)]));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${variable}: there is no ${paths.join(", or ")}`);
  return found;
}

/** A file below a folder; `name` is its path from there, with slashes. */
export interface File {
  name: string;
  path: string;
}

/** All files below a folder, in order. */
export function filesBelow(folder: string): File[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path).replaceAll("\\", "/"), path }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
