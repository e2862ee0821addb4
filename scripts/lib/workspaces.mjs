// The npm workspaces: packages/* and examples/*.

import { existsSync, readFileSync, readdirSync } from "node:fs";

import { inside } from "./paths.mjs";

/** The workspaces of one folder, each `{ path, name, scripts, bin }`. */
export function workspaces(folder) {
  return readdirSync(inside(folder))
    .sort()
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(inside(path, "package.json")))
    .map((path) => {
      const { name, scripts = {}, bin = {} } = manifest(path);
      return { path, name, scripts, bin };
    });
}

const manifest = (path) => JSON.parse(readFileSync(inside(path, "package.json"), "utf8"));
