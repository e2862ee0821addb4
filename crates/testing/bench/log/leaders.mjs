// Two leaders on purpose, with the same key and the same log: there must be one chain.

import { setTimeout as sleep } from "node:timers/promises";

import { prepareSecond, requests } from "../../../../scripts/lib/cluster/nodes.mjs";
import { dim, green, live, red, say, table } from "../../../../scripts/lib/terminal.mjs";
import { Asker } from "./asker.mjs";
import { check } from "./check.mjs";
import { once, set, updates } from "./keys.mjs";
import { caughtUp, heightOf } from "./places.mjs";
import { median, quantile, round, sum } from "./statistics.mjs";

const MOST_KEYS = 20_000;
const LATENCY = 10;
/** Those who submit to each leader, one operation of their own after another. */
const SUBMITTERS = 3;
const PACE = { block: 20, follow: 100 };
const RETRY_MILLISECONDS = 20;
const NEWS_MILLISECONDS = 30_000;

/** Runs two leaders for minutes, and compares what they have. */
export function leaders(places, { keys, minutes }) {
  const size = Math.min(keys, MOST_KEYS);
  return places.with({ keys: size, delay: LATENCY, pace: PACE }, async (place) => {
    const one = await place.lead("one");
    prepareSecond(place.folder, "one", "two");
    const two = await place.start("run", "two");
    const nodes = [one, two];
    const from = (await caughtUp(two, one)) + 1;
    const state = { keys: size, acknowledged: [], until: Date.now() + minutes * 60_000 };
    const before = await Promise.all(nodes.map(requests));
    const submitting = nodes.flatMap((node) =>
      Array.from({ length: SUBMITTERS }, (_, at) => submit(state, node, `${node.name}/${at}`)),
    );
    const [refusals] = await Promise.all([Promise.all(submitting), tell(state, nodes)]);
    const after = await Promise.all(nodes.map(requests));
    await caughtUp(two, one);
    const { wrong, contents } = await check(nodes, from, state.acknowledged);
    const rows = nodes.map((node, at) => row(node, state, contents, before[at], after[at]));
    wrong.push(...mixed(contents));
    if (rows.some(({ blocks }) => blocks === 0)) wrong.push("one of the leaders made no block");
    const refused = sum(refusals);
    show(rows, contents.length, state, refused, wrong);
    const { length: acknowledged } = state.acknowledged;
    const settings = { minutes, latency: LATENCY, submitters: SUBMITTERS, ...PACE };
    return { keys: size, ...settings, blocks: contents.length, acknowledged, refused, rows, wrong };
  });
}

/** Submits operations until the time is over, each once; returns how many were not acknowledged. */
async function submit({ keys, acknowledged, until }, node, name) {
  const asker = new Asker(node);
  let refused = 0;
  for (let number = 0; Date.now() < until; number += 1) {
    const key = once(`${name}/${number}`);
    try {
      const { height, hash, milliseconds } = await asker.submit([set(key), ...updates(2, keys)]);
      acknowledged.push({ key, height, hash, milliseconds, by: node.name });
    } catch {
      refused += 1;
      await sleep(RETRY_MILLISECONDS);
    }
  }
  asker.close();
  return refused;
}

/** Says now and then how far the chain is. */
async function tell({ acknowledged, until }, nodes) {
  for (let next = Date.now(); Date.now() < until; await sleep(500)) {
    if (Date.now() < next || !live) continue;
    next += NEWS_MILLISECONDS;
    const heights = (await Promise.all(nodes.map(heightOf))).join(" and ");
    say(dim(`  heights ${heights}, ${acknowledged.length} operations acknowledged`));
  }
}

const maker = (name) => name.split("/")[0];

/** What a leader made, and how often another one's block was first at its height. */
function row({ name }, { acknowledged }, contents, before, after) {
  const blocks = contents.filter((names) => names.some((it) => maker(it) === name)).length;
  const times = acknowledged.filter(({ by }) => by === name).map((it) => it.milliseconds);
  const more = (kind) => (after[kind] ?? 0) - (before[kind] ?? 0);
  return {
    name,
    blocks,
    creates: more("create"),
    lost: more("create") - blocks,
    reads: more("read"),
    acknowledged: times.length,
    "median, ms": round(median(times)),
    "p99, ms": round(quantile(times, 0.99)),
    "slowest, ms": round(Math.max(...times)),
  };
}

/** A block has operations of one leader's submitters: a leader that comes second makes another block. */
function mixed(contents) {
  const count = contents.filter((names) => new Set(names.map(maker)).size !== 1).length;
  return count === 0 ? [] : [`${count} blocks that are not of one leader's submitters`];
}

function show(rows, blocks, { acknowledged }, refused, wrong) {
  const heads = Object.keys(rows[0]);
  const body = rows.map((row) => heads.map((head) => row[head]));
  for (const line of table([heads, ...body], `l${"r".repeat(heads.length - 1)}`)) say(`  ${line}`);
  say(
    `  ${blocks} blocks, ${acknowledged.length} operations acknowledged, ${refused} not; ` +
      (wrong.length === 0 ? green("both leaders have one chain") : red(`${wrong.length} wrong`)),
  );
  for (const what of wrong) say(red(`  ${what}`));
}
