// The package's README and every page of the guide as one page, such as `llms.txt` is.

import { readFileSync } from "node:fs";
import { posix } from "node:path";

import { inside } from "./paths.mjs";

const PACKAGE = "packages/prooflight";

/** The files of the page, in the order of the site. */
export function guideFiles() {
  const { projectDocuments } = JSON.parse(read(`${PACKAGE}/typedoc.json`));
  return ["README.md", ...projectDocuments].map((path) => posix.join(PACKAGE, path));
}

/** The page. Its links lead to the repository online. */
export function wholeGuide() {
  const { homepage } = JSON.parse(read(`${PACKAGE}/package.json`));
  const online = homepage.slice(0, homepage.indexOf("docs/guide/"));
  return guideFiles()
    .map((path) => withLinks(read(path), new URL(path, online)))
    .join("\n");
}

/** A text of Markdown with its relative links resolved against its own address; code is left as it is. */
function withLinks(text, address) {
  const parts = text.split(/^(```.*?^```$)/ms);
  const resolve = (_, target) => `](${new URL(target, address)})`;
  return parts
    .map((part, index) => (index % 2 ? part : part.replace(/\]\(([^()\s]+)\)/g, resolve)))
    .join("");
}

const read = (path) => readFileSync(inside(path), "utf8");
