// More readers: proofs a second, what a proof takes of the processor, and what readers ask the bucket for.

import { setTimeout as sleep } from "node:timers/promises";

import { dollars } from "../../../../scripts/lib/cluster/cost.mjs";
import { requests } from "../../../../scripts/lib/cluster/nodes.mjs";
import { red, say, table } from "../../../../scripts/lib/terminal.mjs";
import { Asker } from "./asker.mjs";
import { updates } from "./keys.mjs";
import { ownProcessorTime, processorTime } from "./machine.mjs";
import { caughtUp } from "./places.mjs";
import { ask, compare, warm } from "./questions.mjs";
import { median, round, sum } from "./statistics.mjs";

const COUNTS = [1, 2, 4, 8];
const MOST_KEYS = 100_000;
const LATENCY = 10;
const KEYS_ASKED = 100;
const CASES = ["avl", "smt"].map((scheme) => ({ scheme, count: KEYS_ASKED }));
const ROUNDS = 5;
const ROUND_MILLISECONDS = 4000;
const WINDOW_MILLISECONDS = 20_000;
const BLOCKS = 20;
/** As by default: a block a second at the most, and a look for blocks each second. */
const PACE = { block: 1000, follow: 1000 };
const MONTH_SECONDS = 30 * 24 * 3600;

/** Measures 1, 2, 4 and 8 readers that are asked at once. */
export function readers(places, { keys }) {
  const size = Math.min(keys, MOST_KEYS);
  return places.with({ keys: size, delay: LATENCY, pace: PACE }, async (place) => {
    const leader = await place.lead("leader");
    const names = Array.from({ length: COUNTS.at(-1) }, (_, at) => `reader-${at + 1}`);
    const nodes = await Promise.all(names.map((name) => place.start("serve", name)));
    for (const node of nodes) await caughtUp(node, leader);
    const bucket = await measureRequests(leader, nodes, size);
    const at = `0x${(await caughtUp(nodes[0], leader)).toString(16)}`;
    const sides = nodes.map((node) => ({ node, asker: new Asker(node) }));
    await Promise.all(sides.map(({ node, asker }) => warm(node, asker, { keys: size, at })));
    const first = { node: leader, asker: new Asker(leader) };
    const wrong = await compare([first, ...sides], CASES, { keys: size, at });
    const rows = [];
    for (const it of CASES) rows.push(...(await measure(sides, { ...it, keys: size, at })));
    [first, ...sides].forEach(({ asker }) => asker.close());
    show(rows, bucket, wrong);
    const settings = { keys: size, asked: KEYS_ASKED, latency: LATENCY, rounds: ROUNDS };
    return { ...settings, rows, bucket, wrong };
  });
}

/** The medians for each number of readers; the numbers take turns, so that the load is the same for all. */
async function measure(sides, question) {
  const rounds = COUNTS.map(() => []);
  for (let done = 0; done < ROUNDS; done += 1) {
    for (const [at, count] of COUNTS.entries()) {
      rounds[at].push(await together(sides.slice(0, count), question));
    }
  }
  return COUNTS.map((readers, at) => {
    const of = (member) => round(median(rounds[at].map((it) => it[member])));
    const members = Object.keys(rounds[at][0]).map((member) => [member, of(member)]);
    return { scheme: question.scheme, readers, ...Object.fromEntries(members) };
  });
}

/** Asks readers at the same time, each by one client. */
async function together(sides, question) {
  const [began, own] = [performance.now(), ownProcessorTime()];
  const before = sides.map(({ node }) => processorTime(node));
  const counts = await Promise.all(
    sides.map(async ({ node, asker }, at) => {
      let asked = 0;
      const from = 10_000 * (at + 1);
      while (performance.now() - began < ROUND_MILLISECONDS) {
        await ask(node, asker, question, from + asked, from + asked + 1);
        asked += 1;
      }
      return asked;
    }),
  );
  const wall = performance.now() - began;
  const taken = sides.map(({ node }, at) => processorTime(node) - before[at]);
  const each = taken.map((milliseconds, at) => milliseconds / counts[at]);
  return {
    "proofs a second": (sum(counts) * 1000) / wall,
    "processor ms a proof": sum(taken) / sum(counts),
    "least of a reader": Math.min(...each),
    "most of a reader": Math.max(...each),
    "cores, readers": sum(taken) / wall,
    "cores, client": (ownProcessorTime() - own) / wall,
  };
}

/** The requests to the bucket: each idle second, and each block, a block a second. */
async function measureRequests(leader, nodes, keys) {
  const during = async (body) => {
    const count = () => Promise.all([leader, ...nodes].map(requests));
    const [before, began] = [await count(), Date.now()];
    await body();
    const [after, seconds] = [await count(), (Date.now() - began) / 1000];
    const more = (at, kind) => (after[at][kind] ?? 0) - (before[at][kind] ?? 0);
    return { seconds, more };
  };
  const idle = await during(() => sleep(WINDOW_MILLISECONDS));
  const asker = new Asker(leader);
  const busy = await during(async () => {
    for (let made = 0; made < BLOCKS; made += 1) await asker.submit(updates(100, keys));
    // The last block is read at the next look.
    await sleep(PACE.follow);
  });
  asker.close();
  const of = ({ seconds, more }, at) => ({
    reads: more(at, "read") / seconds,
    creates: more(at, "create") / seconds,
    "reads a block": more(at, "read") / BLOCKS,
  });
  const average = (window) => {
    const all = nodes.map((_, at) => of(window, at + 1));
    const mean = (member) => sum(all.map((it) => it[member])) / all.length;
    return { reads: mean("reads"), creates: 0, "reads a block": mean("reads a block") };
  };
  const row = (name, figures, blocks) => {
    const { reads, creates } = figures;
    const month = { read: reads * MONTH_SECONDS, create: creates * MONTH_SECONDS };
    return {
      name,
      "reads a second": round(reads),
      "creates a second": round(creates),
      ...(blocks ? { "reads a block": round(figures["reads a block"]) } : {}),
      "million requests a month": round((month.read + month.create) / 1e6),
      "dollars a month": round(dollars(month)),
    };
  };
  return [
    row("a reader, idle", average(idle)),
    row("a reader, a block a second", average(busy), true),
    row("the leader, idle", of(idle, 0)),
    row("the leader, a block a second", of(busy, 0), true),
  ];
}

function show(rows, bucket, wrong) {
  for (const part of [rows, bucket]) {
    const heads = [...new Set(part.flatMap((row) => Object.keys(row)))];
    const body = part.map((row) => heads.map((head) => row[head] ?? ""));
    for (const line of table([heads, ...body], `l${"r".repeat(heads.length - 1)}`))
      say(`  ${line}`);
    say();
  }
  say(
    "  Goal: cores are the only bottleneck, so a proof takes the same processor time beside more readers.",
  );
  for (const what of wrong) say(red(`  ${what}`));
}
