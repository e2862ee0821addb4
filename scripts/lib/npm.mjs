// The packages of package-lock.json.

import { existsSync, readFileSync } from "node:fs";

import { inside } from "./paths.mjs";

/** node_modules, as package-lock.json says. */
export const packages = {
  title: "npm packages",
  requires: ["npm"],
  ready: () => {
    const installed = lock("node_modules/.package-lock.json");
    const wanted = lock("package-lock.json");
    return (
      installed !== undefined &&
      Object.entries(wanted).every(([path, entry]) => {
        // The root has no entry, a package for another system is not installed.
        if (path === "" || entry.optional) return true;
        return installed[path] !== undefined && same(installed[path], entry);
      })
    );
  },
  install: ({ sh }) => sh("npm", ["ci", "--no-audit", "--no-fund"]),
};

const same = (a, b) => a.version === b.version && a.integrity === b.integrity && a.link === b.link;

function lock(path) {
  if (!existsSync(inside(path))) return undefined;
  return JSON.parse(readFileSync(inside(path), "utf8")).packages;
}
