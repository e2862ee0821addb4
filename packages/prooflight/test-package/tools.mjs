// The runtimes, bundlers and checks of tools/package.json, installed once for each lockfile.

import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { cache } from "../../../scripts/lib/paths.mjs";

const source = fileURLToPath(new URL("tools", import.meta.url));
const lock = readFileSync(join(source, "package-lock.json"));
const folder = join(
  cache,
  "runtimes",
  createHash("sha256").update(lock).digest("hex").slice(0, 16),
);
const installed = join(folder, ".installed");

/** Installs the tools unless they are installed, without running their install scripts. */
export async function installTools({ sh }) {
  if (existsSync(installed)) return;
  rmSync(join(cache, "runtimes"), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) {
    copyFileSync(join(source, name), join(folder, name));
  }
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  // Not `ci`, which fails if a registry lacks the optional packages for other systems.
  await sh("npm", ["install", ...options], { cwd: folder });
  writeFileSync(installed, "");
}

/** Makes a new folder for projects, which find the tools in a folder above. */
export function folderBelowTools() {
  return mkdtempSync(join(folder, "projects-"));
}

const require = createRequire(join(folder, "package.json"));

/** Imports a tool. */
export const importTool = (name) => import(pathToFileURL(require.resolve(name)));

/** A file of a tool. */
export const fileOf = (...path) => join(folder, "node_modules", ...path);
