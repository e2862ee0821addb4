// Proofs that are asked for, and what they take.

import { asked } from "./keys.mjs";
import { processorTime } from "./machine.mjs";
import { median } from "./statistics.mjs";

const WARM = 200;

/** Asks for proofs of `count` of `keys` keys in block `at`, for questions `from` up to `to`, one after another. */
export async function ask(node, asker, { scheme, count, keys, at }, from, to) {
  const [began, processor] = [performance.now(), processorTime(node)];
  const times = [];
  for (let question = from; question < to; question += 1) {
    const params = { scheme, keys: asked(question, count, keys), at };
    const { milliseconds, text } = await asker.ask("prooflight_prove", params);
    if (!text.includes('"proof"')) throw new Error(`no proof: ${text.slice(0, 500)}`);
    times.push(milliseconds);
  }
  const proofs = to - from;
  return {
    "ms a proof": median(times),
    "proofs a second": (proofs * 1000) / (performance.now() - began),
    "processor ms a proof": (processorTime(node) - processor) / proofs,
  };
}

/** Fills the caches of a node: the parts of files that proofs of smt read are kept in memory. */
export async function warm(node, asker, { keys, at }) {
  for (const scheme of ["avl", "smt"])
    await ask(node, asker, { scheme, count: 100, keys, at }, 0, WARM);
}

/** What is different between the proofs of these nodes: each must give the same bytes as the first. */
export async function compare(sides, cases, { keys, at }) {
  const wrong = [];
  for (const { scheme, count } of cases) {
    const params = { scheme, keys: asked(0, count, keys), at };
    const proofs = await Promise.all(
      sides.map(async ({ asker }) => (await asker.call("prooflight_prove", params)).result.proof),
    );
    for (const [side, proof] of proofs.entries()) {
      const { name } = sides[side].node;
      if (proof !== proofs[0]) wrong.push(`${name}: another proof of ${count} keys by ${scheme}`);
    }
  }
  return wrong;
}
