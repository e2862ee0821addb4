// npm run vectors: regenerates the test vectors and the files generated from the tables of schemes and reasons. With
// `-- --check` it only compares, and fails if a byte differs.

import { writeFileSync } from "node:fs";

import { hand } from "./lib/command.mjs";
import { inside } from "./lib/paths.mjs";
import { outdatedRegistry } from "./lib/registry.mjs";
import { outdated, readSchemes } from "./lib/schemes.mjs";
import { prepare } from "./lib/setup.mjs";
import { main } from "./lib/task.mjs";
import { say } from "./lib/terminal.mjs";

const GENERATE = [
  "run",
  "--locked",
  "--release",
  "--package",
  "prooflight-vectors",
  "--bin",
  "generate",
  "--",
  "test-vectors",
];

await main(async () => {
  const options = process.argv.slice(2);
  await prepare(["rust"], ["cc"]);
  const code = await hand("cargo", [...GENERATE, ...options]);
  if (code) return code;
  const changed = [...outdated(readSchemes()), ...outdatedRegistry()];
  const check = options.includes("--check");
  for (const [path, text] of changed) {
    if (!check) writeFileSync(inside(path), text);
    say(`${path}: ${check ? "differs: run npm run vectors" : "written"}`);
  }
  return check && changed.length > 0 ? 1 : code;
});
