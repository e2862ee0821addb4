// npm test: every check there is. `npm test -- NAME…` runs some steps, `npm test -- --list` lists
// them.

import { STEPS, runSteps } from "./lib/steps.mjs";
import { main } from "./lib/task.mjs";
import { say } from "./lib/terminal.mjs";

const args = process.argv.slice(2);

await main(async () => {
  if (args.includes("--list")) return void Object.keys(STEPS).forEach((name) => say(name));
  return runSteps(args.length > 0 ? args : Object.keys(STEPS));
});
