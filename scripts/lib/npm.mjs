// The packages of package-lock.json.

import { existsSync, readFileSync } from "node:fs";

import { inside } from "./paths.mjs";
import { workspaces } from "./workspaces.mjs";

/** node_modules, as package-lock.json says, with the commands of this repository's packages. */
export const packages = {
  title: "npm packages",
  requires: ["npm"],
  ready: () => installed() && unlinked().length === 0,
  install: async ({ sh }) => {
    // A clone whose packages are there may be older than a command.
    if (installed()) await sh("npm", ["rebuild", "--ignore-scripts", ...unlinked()]);
    else await sh("npm", ["ci", "--no-audit", "--no-fund"]);
  },
};

function installed() {
  const there = lock("node_modules/.package-lock.json");
  return (
    there !== undefined &&
    Object.entries(lock("package-lock.json")).every(([path, entry]) => {
      // The root has no entry, a package for another system is not installed.
      if (path === "" || entry.optional) return true;
      return there[path] !== undefined && same(there[path], entry);
    })
  );
}

/** The packages of this repository with a command that node_modules has no link to. */
const unlinked = () =>
  workspaces("packages")
    .filter(({ bin }) =>
      Object.keys(bin).some((name) => !existsSync(inside("node_modules", ".bin", name))),
    )
    .map(({ name }) => name);

const same = (a, b) => a.version === b.version && a.integrity === b.integrity && a.link === b.link;

function lock(path) {
  if (!existsSync(inside(path))) return undefined;
  return JSON.parse(readFileSync(inside(path), "utf8")).packages;
}
