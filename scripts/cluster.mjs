// npm run cluster: builds, then runs a chain on several nodes that share a log: a leader, a standby, three
// readers, a server of the past, a liar and the wallet. It kills the leader every few seconds. `-- --once`
// ends after one takeover, with a verdict. The log is in an S3 server on this machine, or at `--log URL`.
// `-- --disturb N` kills or pauses any node instead, N times, while the S3 server is slow and fails.

import { parseArgs } from "node:util";

import { build } from "./lib/build.mjs";
import { cluster } from "./lib/cluster/main.mjs";
import { ask } from "./lib/command.mjs";
import { forBuild, prepare } from "./lib/setup.mjs";
import { Problem, main } from "./lib/task.mjs";
import { say } from "./lib/terminal.mjs";

const USAGE = "Usage: npm run cluster [-- --once | --disturb N [--seed SEED]] [-- --log URL]";

/** The options of the command line. */
function read() {
  const string = { type: "string" };
  const options = { once: { type: "boolean" }, disturb: string, seed: string, log: string };
  try {
    const { values } = parseArgs({ options });
    const disturb = values.disturb === undefined ? undefined : Number(values.disturb);
    const wrong =
      (disturb !== undefined && !(Number.isInteger(disturb) && disturb > 0)) ||
      (disturb && (values.once || values.log)) ||
      (values.seed && !disturb);
    if (!wrong) return { ...values, disturb };
  } catch {
    // The usage says what is right.
  }
  throw new Problem(USAGE);
}

await main(async () => {
  const { once = false, disturb, seed = "1", log } = read();
  if (disturb && process.env.PROOFLIGHT_S3) {
    throw new Problem("--disturb has an S3 server of its own; unset PROOFLIGHT_S3.");
  }
  const s3 = disturb
    ? true
    : !log && (Boolean(process.env.PROOFLIGHT_S3) || ask("go", "version") !== undefined);
  if (!log && !s3) say("Without Go there is no S3 server here: the log is in a folder.");
  await prepare([...forBuild, ...(s3 ? ["versitygw"] : [])]);
  await build(["examples/wallet"]);
  return cluster({ once, disturb, seed, log, s3 });
});
