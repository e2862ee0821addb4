// What a proof costs a reader, beside the leader: both are asked the same questions by the same client, in turns.

import { bold, dim, red, say, table } from "../../../../scripts/lib/terminal.mjs";
import { Asker } from "./asker.mjs";
import { updates } from "./keys.mjs";
import { caughtUp } from "./places.mjs";
import { ask, compare, warm } from "./questions.mjs";
import { median, round } from "./statistics.mjs";

const LATENCY = 10;
const ROUNDS = 11;
const TRIAL = 20;
const ROUND_MILLISECONDS = 1000;
/** Small blocks after those of the import, so that nobody is asked right after a large one. */
const BLOCKS = 10;
const PACE = { block: 0, follow: 1000 };
const CASES = ["avl", "smt"].flatMap((scheme) => [1, 100].map((count) => ({ scheme, count })));
const FIGURES = ["ms a proof", "proofs a second", "processor ms a proof"];

/** Measures a leader and a reader that executed its log. */
export function reader(places, { keys }) {
  return places.with({ keys, delay: LATENCY, pace: PACE }, async (place) => {
    const leader = await place.lead("leader");
    const began = Date.now();
    const first = await place.start("serve", "reader");
    await caughtUp(first, leader);
    const executed = round((Date.now() - began) / 1000);
    // The leader read its state from disk. So must the reader: a tree that grew lies differently in memory.
    await first.kill();
    const reader = await place.start("serve", "reader");
    await caughtUp(reader, leader);
    say(dim(`  the reader executed ${keys.toLocaleString("en")} keys in ${executed} s`));
    const sides = [leader, reader].map((node) => ({ node, asker: new Asker(node) }));
    for (let made = 0; made < BLOCKS; made += 1) await sides[0].asker.submit(updates(100, keys));
    const at = `0x${(await caughtUp(reader, leader)).toString(16)}`;
    const wrong = await compare(sides, CASES, { keys, at });
    for (const { node, asker } of sides) await warm(node, asker, { keys, at });
    const rows = [];
    for (const it of CASES) rows.push(await measure(sides, { ...it, keys, at }));
    sides.forEach(({ asker }) => asker.close());
    show(rows, wrong);
    return { keys, latency: LATENCY, rounds: ROUNDS, "executed in, s": executed, rows, wrong };
  });
}

/** The medians of both sides over the rounds, and the reader's part of the leader's in each round. */
async function measure(sides, question) {
  const trial = await ask(sides[0].node, sides[0].asker, question, 0, TRIAL);
  const count = Math.max(TRIAL, Math.ceil(ROUND_MILLISECONDS / trial["ms a proof"]));
  const rounds = [];
  for (let done = 0; done < ROUNDS; done += 1) {
    const from = 1000 + done * count;
    const found = [];
    // Each begins as often as the other.
    for (const side of done % 2 === 0 ? [0, 1] : [1, 0]) {
      const { node, asker } = sides[side];
      found[side] = await ask(node, asker, question, from, from + count);
    }
    rounds.push(found);
  }
  const { scheme, count: asked } = question;
  const of = (side) =>
    Object.fromEntries(
      FIGURES.map((it) => [it, round(median(rounds.map((all) => all[side][it])))]),
    );
  const ratios = rounds.map(([leader, reader]) => reader["ms a proof"] / leader["ms a proof"]);
  const ratio = {
    median: round(median(ratios)),
    least: round(Math.min(...ratios)),
    most: round(Math.max(...ratios)),
  };
  return { scheme, keys: asked, "proofs a round": count, leader: of(0), reader: of(1), ratio };
}

function show(rows, wrong) {
  const heads = [
    "scheme",
    "keys",
    ...FIGURES.map((it) => `leader: ${it}`),
    ...FIGURES,
    "reader / leader",
  ];
  const body = rows.map(({ scheme, keys, leader, reader, ratio }) => [
    ...[scheme, keys, ...FIGURES.map((it) => leader[it]), ...FIGURES.map((it) => reader[it])],
    `${bold(ratio.median)} (${ratio.least} to ${ratio.most})`,
  ]);
  for (const line of table([heads, ...body], `l${"r".repeat(heads.length - 1)}`)) say(`  ${line}`);
  say(
    "  Goal: the same within noise. Medians of rounds; the last column is of ms a proof, in each round.",
  );
  for (const what of wrong) say(red(`  ${what}`));
}
