// npm run mutants -- --seconds N --seed S: plants single faults in the verifiers and runs the vectors
// against each. It lists the faults that no vector detects. The run fails if one of these has no reason in
// scripts/lib/mutants/accepted.json. The next run continues where this one stopped.

import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { readAccepted } from "./lib/mutants/accepted.mjs";
import { build } from "./lib/mutants/build.mjs";
import { shuffled } from "./lib/mutants/order.mjs";
import { report } from "./lib/mutants/report.mjs";
import { Runner } from "./lib/mutants/runner.mjs";
import { openState } from "./lib/mutants/state.mjs";
import { root } from "./lib/paths.mjs";
import { prepare } from "./lib/setup.mjs";
import { Problem, main, task } from "./lib/task.mjs";

const USAGE = `Usage: npm run mutants -- [--seconds N] [--seed S] [--tree FOLDER] [--only PREFIX]

  --seconds N     how long to try faults (default 600); building them comes on top
  --seed S        the order in which they are tried (default 1)
  --tree FOLDER   the verifiers and vectors of another working copy
  --only PREFIX   only faults in files whose path begins so, such as crates/smt/src/diff.rs`;

await main(async () => {
  const { seconds, seed, tree, only } = options();
  await prepare(["rust"], ["cc"]);
  const built = await build(tree);
  const state = openState(built, seed);
  const order = shuffled(
    built.mutants.filter((mutant) => mutant.compiles),
    seed,
  ).filter((mutant) => mutant.file.startsWith(only));
  const open = order.filter((mutant) => !state.outcomes.has(mutant.id));
  if (open.length > 0) {
    await task(`the vectors against ${open.length} faults`, ({ note }) =>
      tryAll(open, { built, state, seconds, note }),
    );
  }
  return report({ ...built, only, seed, outcomes: state.outcomes, accepted: readAccepted() });
});

/** Tries faults until all are tried or the time is up. */
async function tryAll(open, { built, state, seconds, note }) {
  const runner = new Runner(built.runner, built.vectors);
  const end = Date.now() + seconds * 1000;
  let tried = 0;
  let survived = 0;
  try {
    for (const mutant of open) {
      if (Date.now() >= end) break;
      const outcome = await runner.attempt(mutant);
      state.add(mutant.id, outcome);
      tried += 1;
      if (outcome.result === "survived" || outcome.result === "unreached") survived += 1;
      note(`${tried} of ${open.length} tried, ${survived} survived`);
    }
  } finally {
    runner.stop();
  }
  return `${tried} tried, ${survived} survived`;
}

function options() {
  try {
    const { values } = parseArgs({
      options: {
        seconds: { type: "string", default: "600" },
        seed: { type: "string", default: "1" },
        tree: { type: "string", default: root },
        only: { type: "string", default: "" },
      },
    });
    const [seconds, seed] = [values.seconds, values.seed].map(whole);
    return { seconds, seed, tree: resolve(values.tree), only: values.only };
  } catch (error) {
    throw new Problem(`${error.message}\n\n${USAGE}`);
  }
}

function whole(text) {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`Expected a whole number, found ${text}.`);
  return Number(text);
}
