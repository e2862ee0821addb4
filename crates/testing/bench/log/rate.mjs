// The block rate of a leader beside the latency of its bucket, and of a leader without a log.

import { requests } from "../../../../scripts/lib/cluster/nodes.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";
import { Asker } from "./asker.mjs";
import { updates } from "./keys.mjs";
import { median, quantile, round, sum } from "./statistics.mjs";

const LATENCIES = [0, 10, 50];
const KEYS = 20_000;
const OPERATIONS = 100;
const WARM = 20;
/** Each leader makes so many blocks, then it is the next one's turn. */
const BLOCKS = 25;
const ROUNDS = 16;
/** A block as soon as there is an operation; looks for blocks of other leaders as by default. */
const PACE = { block: 0, follow: 1000 };

/** Measures leaders that take turns. */
export async function rate(places, { keys }) {
  const size = Math.min(keys, KEYS);
  const sides = [];
  try {
    for (const latency of [undefined, ...LATENCIES]) sides.push(await start(places, latency, size));
    for (const side of sides) await make(side, size, WARM);
    for (let done = 0; done < ROUNDS; done += 1) {
      for (const side of sides) await turn(side, size);
    }
    const rows = sides.map(row);
    compare(rows);
    show(rows);
    return { keys: size, operations: OPERATIONS, blocks: BLOCKS * ROUNDS, rows };
  } finally {
    await Promise.all(sides.map(({ end }) => end()));
  }
}

/** Starts a leader; without a latency, one without a log. */
async function start(places, latency, keys) {
  const place = await places.open({
    keys,
    delay: latency,
    pace: PACE,
    logged: latency !== undefined,
  });
  const leader = await place.lead("leader");
  const asker = new Asker(leader);
  const end = () => (asker.close(), place.close());
  const found = { times: [], creates: [], asked: { create: 0, read: 0 } };
  return { latency, place, leader, asker, end, ...found };
}

/** Makes blocks, one after another; returns the milliseconds of each from its submission to the answer. */
async function make({ asker }, keys, count) {
  const times = [];
  for (let made = 0; made < count; made += 1) {
    const { milliseconds } = await asker.submit(updates(OPERATIONS, keys));
    times.push(milliseconds);
  }
  return times;
}

/** Measures blocks of one leader, with what it asks of the bucket meanwhile. */
async function turn(side, keys) {
  const { leader, place, times, asked } = side;
  const [before, puts] = [await requests(leader), place.requests.PUT.length];
  times.push(...(await make(side, keys, BLOCKS)));
  const after = await requests(leader);
  for (const kind of Object.keys(asked)) asked[kind] += (after[kind] ?? 0) - (before[kind] ?? 0);
  side.creates.push(...place.requests.PUT.slice(puts));
}

function row({ latency, times, asked, creates }) {
  const figures = {
    "blocks a second": round((times.length * 1000) / sum(times)),
    "median, ms": round(median(times)),
    "p99, ms": round(quantile(times, 0.99)),
  };
  if (latency === undefined) return figures;
  return {
    latency,
    ...figures,
    "creates a block": round(asked.create / times.length),
    "reads a block": round(asked.read / times.length),
    "create, ms": round(median(creates)),
  };
}

/** What a block takes longer than without a log, in milliseconds and in creates. */
function compare([without, ...rows]) {
  for (const row of rows) {
    row["more, ms"] = round(row["median, ms"] - without["median, ms"]);
    row["more, in creates"] = round(row["more, ms"] / row["create, ms"]);
  }
}

function show(rows) {
  const heads = [
    ["latency, ms", "latency"],
    ...["blocks a second", "median, ms", "p99, ms", "more, ms", "create, ms", "more, in creates"],
    ...["creates a block", "reads a block"],
  ].map((it) => (Array.isArray(it) ? it : [it, it]));
  const body = rows.map((row) =>
    heads.map(([, member]) => row[member] ?? (member === "latency" ? "no log" : "")),
  );
  const lines = table([heads.map(([head]) => head), ...body], "r".repeat(heads.length));
  for (const line of lines) say(`  ${line}`);
  say(
    "  Goal: not more than one round trip to the bucket, which is a create as the proxy sees it.",
  );
}
