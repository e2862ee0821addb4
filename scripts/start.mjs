// npm start: builds, shows real blocks verified and forged ones refused, then serves the browser
// example. `npm start -- --once` ends before serving.

import { build } from "./lib/build.mjs";
import { demo } from "./lib/demo.mjs";
import { serve } from "./lib/serve.mjs";
import { forBuild, prepare } from "./lib/setup.mjs";
import { Problem, main } from "./lib/task.mjs";

const args = process.argv.slice(2);

await main(async () => {
  if (args.some((arg) => arg !== "--once")) throw new Problem("Usage: npm start [-- --once]");
  await prepare(forBuild);
  await build();
  if (!(await demo())) return 1;
  if (!args.includes("--once")) await serve("examples/verify-in-browser");
});
