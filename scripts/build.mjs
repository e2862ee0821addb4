// npm run build: the WebAssembly and TypeScript of packages/, and the examples.

import { build } from "./lib/build.mjs";
import { forBuild, prepare } from "./lib/setup.mjs";
import { main } from "./lib/task.mjs";
import { say } from "./lib/terminal.mjs";

await main(async () => {
  await prepare(forBuild);
  const { remark } = await build();
  if (remark === "unchanged") say("Nothing to build: no source changed since the last build.");
});
