// npm run cluster: builds, then runs a chain on several nodes that share a log: a leader, a standby, three
// readers, a liar before one of them, and the wallet. It kills the leader every few seconds. `-- --once`
// ends after one takeover, with a verdict. The log is in an S3 server on this machine, or at `--log URL`.

import { build } from "./lib/build.mjs";
import { cluster } from "./lib/cluster/main.mjs";
import { ask } from "./lib/command.mjs";
import { forBuild, prepare } from "./lib/setup.mjs";
import { Problem, main } from "./lib/task.mjs";
import { say } from "./lib/terminal.mjs";

const args = process.argv.slice(2);

await main(async () => {
  const once = args.includes("--once");
  const at = args.indexOf("--log");
  const log = at < 0 ? undefined : args[at + 1];
  if (args.length !== (once ? 1 : 0) + (at < 0 ? 0 : 2) || (at >= 0 && !log)) {
    throw new Problem("Usage: npm run cluster [-- --once] [-- --log URL]");
  }
  const s3 = !log && (Boolean(process.env.PROOFLIGHT_S3) || ask("go", "version") !== undefined);
  if (!log && !s3) say("Without Go there is no S3 server here: the log is in a folder.");
  await prepare([...forBuild, ...(s3 ? ["versitygw"] : [])]);
  await build();
  return cluster({ once, log, s3 });
});
