// The time from kill -9 of a leader to the next acknowledged block, which a warm standby makes.

import { setTimeout as sleep } from "node:timers/promises";

import { prepareSecond } from "../../../../scripts/lib/cluster/nodes.mjs";
import { dim, green, red, say } from "../../../../scripts/lib/terminal.mjs";
import { Asker } from "./asker.mjs";
import { check } from "./check.mjs";
import { once, set, updates } from "./keys.mjs";
import { caughtUp, heightOf } from "./places.mjs";
import { median, round } from "./statistics.mjs";

const TIMES = 7;
const OPERATIONS = 100;
const LATENCY = 10;
const AFTER_MILLISECONDS = 1000;
const GOAL_MILLISECONDS = 3000;
/** Nodes look for blocks often, so that a standby notices soon. */
const PACE = { block: 100, follow: 100 };
const LIFE_MILLISECONDS = 3000;
const RETRY_MILLISECONDS = 5;

/** Kills one leader after another; the one killed comes back as the standby, with its folder. */
export function takeover(places, { keys }) {
  return places.with({ keys, delay: LATENCY, pace: PACE }, async (place) => {
    const leader = await place.lead("one");
    prepareSecond(place.folder, "one", "two");
    const began = Date.now();
    const standby = await standBy(place, "two", leader);
    await caughtUp(standby, leader);
    const executed = Date.now() - began;
    say(dim(`  the standby executed ${keys.toLocaleString("en")} keys in ${seconds(executed)}`));
    const from = await heightOf(leader);
    const state = { place, keys, leader, standby, written: 0, acknowledged: [], ended: false };
    const writing = write(state);
    const takeovers = [];
    while (takeovers.length < TIMES) takeovers.push(await Promise.race([kill(state), writing]));
    state.ended = true;
    await writing;
    await caughtUp(state.standby, state.leader);
    const { wrong, contents } = await check(
      [state.leader, state.standby],
      from + 1,
      state.acknowledged,
    );
    return conclude({ keys, executed, takeovers, blocks: contents.length, wrong });
  });
}

const standBy = (place, name, leader, listen) =>
  place.start(
    "run",
    name,
    ["--standby", "--takeover-after-ms", `${AFTER_MILLISECONDS}`, "--leader", leader.url],
    listen,
  );

/** Submits one block after another to the leader, whichever that is; never the same operation twice. */
async function write(state) {
  let [asker, of] = [new Asker(state.leader), state.leader];
  while (!state.ended) {
    if (of !== state.leader) {
      asker.close();
      [asker, of] = [new Asker(state.leader), state.leader];
    }
    const key = once(`${(state.written += 1)}`);
    try {
      const { height, hash } = await asker.submit([
        ...updates(OPERATIONS - 1, state.keys),
        set(key),
      ]);
      state.acknowledged.push({ key, height, hash, by: of, at: performance.now() });
    } catch {
      // The leader was killed, or the standby does not lead yet. The operations may be in a block.
      await sleep(RETRY_MILLISECONDS);
    }
  }
  asker.close();
}

/** Lets the leader work for a time, kills it, and waits for the standby's first block and the new standby. */
async function kill(state) {
  await sleep(LIFE_MILLISECONDS + Math.random() * PACE.block * 10);
  const { leader, standby } = state;
  const killed = performance.now();
  const gone = leader.kill();
  state.leader = standby;
  await gone;
  const first = () => state.acknowledged.find(({ by, at }) => by === standby && at > killed);
  while (!first()) await sleep(1);
  const milliseconds = Math.round(first().at - killed);
  say(`  killed ${leader.name}; the next acknowledged block after ${seconds(milliseconds)}`);
  const again = performance.now();
  state.standby = await standBy(state.place, leader.name, standby, new URL(leader.url).host);
  await caughtUpSoon(state);
  const back = Math.round(performance.now() - again);
  return { milliseconds, "back as a standby after, ms": back };
}

/** Waits until the standby lacks a block at the most: the leader goes on meanwhile. */
async function caughtUpSoon({ leader, standby }) {
  while ((await heightOf(standby)) < (await heightOf(leader)) - 1) await sleep(50);
}

function conclude({ keys, executed, takeovers, blocks, wrong }) {
  const times = takeovers.map(({ milliseconds }) => milliseconds);
  const [middle, slowest] = [median(times), Math.max(...times)];
  const good = slowest < GOAL_MILLISECONDS;
  say(
    `  ${times.length} takeovers, ${keys.toLocaleString("en")} keys: median ${seconds(middle)}, slowest ` +
      `${seconds(slowest)}, of which ${seconds(AFTER_MILLISECONDS)} is --takeover-after-ms  ` +
      (good ? green("below 3 s") : red("not below 3 s")),
  );
  say(`  ${blocks} blocks and their acknowledged operations checked, ${wrong.length} wrong`);
  for (const what of wrong) say(red(`  ${what}`));
  const settings = { latency: LATENCY, "takeover after, ms": AFTER_MILLISECONDS, ...PACE };
  const found = { "median, ms": round(middle), "slowest, ms": round(slowest), takeovers };
  return { keys, ...settings, "executed in, s": round(executed / 1000), ...found, blocks, wrong };
}

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;
