// npm run vectors: writes the generated test vectors again; with `-- --check` only compares, and
// fails when a byte differs.

import { hand } from "./lib/command.mjs";
import { prepare } from "./lib/setup.mjs";
import { main } from "./lib/task.mjs";

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
  await prepare(["rust"], ["cc"]);
  return hand("cargo", [...GENERATE, ...process.argv.slice(2)]);
});
