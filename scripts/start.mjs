// npm start: builds, then runs the demo: a node on a store in .cache/demo, a light client, a wallet
// page and a liar. `npm start -- --once` exits after one verified and one refused answer.

import { build } from "./lib/build.mjs";
import { demo } from "./lib/demo/main.mjs";
import { forBuild, prepare } from "./lib/setup.mjs";
import { Problem, main } from "./lib/task.mjs";

const args = process.argv.slice(2);

await main(async () => {
  if (args.some((arg) => arg !== "--once")) throw new Problem("Usage: npm start [-- --once]");
  await prepare(forBuild);
  await build(["examples/wallet"]);
  return demo({ once: args.includes("--once") });
});
