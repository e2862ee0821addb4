// npm test: runs every check. `npm test -- NAME…` runs some of the steps, `npm test -- --list` lists
// them.

import { STEPS, runSteps } from "./lib/steps.mjs";
import { main } from "./lib/task.mjs";
import { say } from "./lib/terminal.mjs";

const args = process.argv.slice(2);

await main(async () => {
  if (args.includes("--list")) return void Object.keys(STEPS).forEach((name) => say(name));
  return runSteps(args.length > 0 ? args : Object.keys(STEPS));
});
