// The packages of package-lock.json, and those of a few folders with a package-lock.json of their own.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { inside } from "./paths.mjs";
import { workspaces } from "./workspaces.mjs";

/** Installs node_modules from package-lock.json, with the commands of this repository's packages. */
export const packages = {
  title: "npm packages",
  requires: ["npm"],
  ready: () => installed(".") && unlinked().length === 0,
  install: async ({ sh }) => {
    // An older clone has its packages, but may lack a newer command.
    if (installed(".")) await sh("npm", ["rebuild", "--ignore-scripts", ...unlinked()]);
    else await sh("npm", CLEAN_INSTALL);
  },
};

/** Installs the packages of a folder outside of the workspaces, which only some steps need, into its own node_modules. */
export const packagesOf = (folder) => ({
  title: `npm packages of ${folder}`,
  requires: ["npm"],
  ready: () => installed(folder),
  install: ({ sh }) => sh("npm", CLEAN_INSTALL, { cwd: inside(folder) }),
});

const CLEAN_INSTALL = ["ci", "--no-audit", "--no-fund", "--prefer-offline"];

function installed(folder) {
  const there = lock(join(folder, "node_modules", ".package-lock.json"));
  return (
    there !== undefined &&
    Object.entries(lock(join(folder, "package-lock.json"))).every(([path, entry]) => {
      // Skip the folder itself, and packages for other systems, which are not installed.
      if (path === "" || entry.optional) return true;
      return there[path] !== undefined && same(there[path], entry);
    })
  );
}

/** The packages of this repository whose command has no link in node_modules. */
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
