// The cluster: blocks go on when the leader is killed, and no reader accepts a wrong answer.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { prepareChain } from "../demo/node.mjs";
import { NAMES } from "../demo/sample.mjs";
import { serveExample } from "../demo/example.mjs";
import { cache, inside } from "../paths.mjs";
import { startS3 } from "../s3.mjs";
import { bold, cyan, dim, green, red, say, table } from "../terminal.mjs";
import { chances } from "./chances.mjs";
import { checkAcknowledged, deceive, read, remember, write } from "./clients.mjs";
import { Cost, dollars } from "./cost.mjs";
import { startFaults } from "./faults.mjs";
import { call, prepareSecond, startAgain, startHistory, startNode } from "./nodes.mjs";
import { servePage } from "./page.mjs";

const READERS = ["reader-1", "reader-2", "reader-3"];
/** The last reader also puts its snapshots into the bucket. */
const PUBLISHES = { "reader-3": ["--publish-snapshots"] };
const LIE = "changed-value";
const TAKEOVER_MILLISECONDS = 1000;
const LIFE_MILLISECONDS = 4000;
const WALLET_PORT = 4173;
const DELAY_MILLISECONDS = 50;
const LONGEST_PAUSE_MILLISECONDS = 2500;
const LONGEST_REST_MILLISECONDS = 500;
/** The time in which a reader must have all blocks once the faults have ended. */
const CATCH_UP_MILLISECONDS = 60_000;

/**
 * Runs the cluster until Ctrl-C, with `once` until one takeover, or with `disturb` until so many nodes were
 * killed or paused; returns the exit code. The log is at the URL `log`, else with `s3` in a bucket of an
 * own server or of PROOFLIGHT_S3, else in a folder.
 */
export async function cluster({ once, disturb, seed, log, s3 }) {
  const folder = join(cache, "cluster");
  rmSync(folder, { recursive: true, force: true });
  const open = [];
  try {
    const checkpoint = await prepareChain(folder);
    const wallet = await serveWallet(folder, open);
    const { origin } = new URL(wallet.url);
    const place = { folder, origin, ...(await placeOf({ log, s3, disturb, folder, open })) };
    renameSync(join(folder, "chain"), join(folder, "one"));
    prepareSecond(folder, "one", "two");
    const state = {
      ...{ place, blocks: 0, answers: 0, past: 0, lies: 0, wrong: [], takeovers: [], ended: false },
      ...{ all: [], shown: new Map(), disturbed: {} },
      cost: new Cost(),
    };
    open.push(() => void (state.ended = true));
    if (disturb) state.faults = await addFaults(state, seed, open);
    state.leader = await startNode(place, "run", "one", ["--publish"]);
    open.push(() => state.leader.kill());
    state.standby = await startStandby(state, "two");
    open.push(() => state.standby.kill());
    state.readers = await Promise.all(
      READERS.map((name) => startNode(place, "serve", name, PUBLISHES[name])),
    );
    open.push(() => Promise.all(state.readers.map((reader) => reader.kill())));
    state.history = await startHistory(place, "history", state.readers[1]);
    open.push(() => state.history.kill());
    const pages = { wallet, ...(await servePages(state, checkpoint, open)) };
    await work(state, checkpoint, pages, { once, disturb, seed }, open);
    await catchUp(state);
    return await verdict(state, once);
  } finally {
    for (const close of open.reverse()) await close();
  }
}

/** The URL of the log, and the environment of those who use it. */
async function placeOf({ log, s3, disturb, folder, open }) {
  if (log) return { log, env: {} };
  if (!s3) {
    const bucket = join(folder, "bucket");
    mkdirSync(bucket);
    return { log: pathToFileURL(bucket).href, env: {} };
  }
  const given = process.env.PROOFLIGHT_S3;
  if (given && !disturb) return { log: `${given}/cluster-${Date.now()}`, env: {} };
  const server = await startS3();
  open.push(() => server.close());
  return { log: `${server.env.PROOFLIGHT_S3}/chain`, env: server.env };
}

/** Puts a failing proxy before the server, for all nodes that start from now on. */
async function addFaults({ place }, seed, open) {
  const target = place.env.AWS_ENDPOINT_URL;
  const random = chances(seed, "faults");
  const faults = await startFaults({ target, delay: DELAY_MILLISECONDS, random });
  open.push(() => faults.close());
  place.env = { ...place.env, AWS_ENDPOINT_URL: faults.url };
  return faults;
}

function startStandby({ place, leader }, name, url) {
  const when = ["--takeover-after-ms", `${TAKEOVER_MILLISECONDS}`, "--leader", leader.url];
  const settings = ["--standby", ...when];
  return url
    ? startAgain(place, "run", name, settings, url)
    : startNode(place, "run", name, settings);
}

/** The wallet. The nodes, which start later, serve no pages of other origins. */
async function serveWallet(folder, open) {
  process.env.PROOFLIGHT_DEMO = settingsOf(folder);
  const wallet = await serveExample("examples/wallet", WALLET_PORT);
  open.push(() => wallet.close());
  return wallet;
}

/** The file with the wallet's servers. */
const settingsOf = (folder) => join(folder, "demo.json");

/** The page about the cluster, and a liar before the first reader; the wallet asks the second, and the liar. */
async function servePages(state, checkpoint, open) {
  const { startProxy } = await import(inside("packages/lying-proxy/src/proxy.mjs"));
  const proxy = await startProxy({ target: state.readers[0].url, port: 0 });
  open.push(() => proxy.close());
  const page = await servePage(() => status(state));
  open.push(() => page.close());
  const servers = { node: state.readers[1].url, proxy: proxy.url };
  const demo = { servers, checkpoint, accounts: NAMES, insecureSetup: true };
  writeFileSync(settingsOf(state.place.folder), JSON.stringify(demo));
  return { proxy, page };
}

/** Writes, reads and lies until the end, and kills leaders meanwhile. */
async function work(state, checkpoint, pages, { once, disturb, seed }, open) {
  const { LightClient } = await import("prooflight");
  const connect = (url) => LightClient.connect({ urls: [url], checkpoint });
  const honest = await Promise.all(state.readers.map(({ url }) => connect(url)));
  const liar = await connect(`${pages.proxy.url}/${LIE}`);
  const historian = await connect(state.history.url);
  open.push(...[...honest, liar, historian].map((client) => () => client.close()));
  sayWhere(state, pages, disturb);
  const end = new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) {
      process.removeAllListeners(signal);
      process.once(signal, resolve);
    }
  });
  state.faults?.begin();
  const writing = write(state);
  const reading = honest.map((client) => read(state, client));
  const all = [...reading, remember(state, historian), deceive(state, liar), writing];
  // A client that fails ends the cluster, too.
  const failed = Promise.all(all);
  const killing = disturb
    ? disturbAgain(state, disturb, chances(seed, "nodes"))
    : once
      ? killOnce(state)
      : killAgain(state);
  await Promise.race([end, killing, writing, failed]);
  state.ended = true;
  // A node that is being started must have started before it can be stopped.
  await Promise.all([failed, killing]);
}

/** Kills or pauses a node after another, as the chances want it. */
async function disturbAgain(state, count, random) {
  for (let done = 0; done < count && !state.ended; done += 1) {
    const at = Math.floor(random() * (2 + READERS.length));
    const role = ["leader", "standby", ...READERS][at];
    const [pauses, length, rest] = [random() < 0.5, random(), random()];
    const what = `${role.split("-")[0]} ${pauses ? "paused" : "killed"}`;
    const node = [state.leader, state.standby, ...state.readers][at];
    if (pauses) await node.pause(length * LONGEST_PAUSE_MILLISECONDS);
    else if (role === "leader") await kill(state, 0);
    else {
      await node.kill();
      if (role === "standby") state.standby = await startStandby(state, node.name, node.url);
      else state.readers[at - 2] = await restartReader(state, role, node.url);
    }
    state.disturbed[what] = (state.disturbed[what] ?? 0) + 1;
    await sleep(rest * LONGEST_REST_MILLISECONDS);
  }
}

const restartReader = ({ place }, name, url) =>
  startAgain(place, "serve", name, PUBLISHES[name] ?? [], url);

/** Waits until a reader has every acknowledged block, and looks for what was acknowledged. */
async function catchUp(state) {
  state.faults?.calm();
  const { url } = state.readers[2];
  const newest = state.all.reduce((most, { height }) => Math.max(most, Number(height)), 0);
  const until = Date.now() + CATCH_UP_MILLISECONDS;
  const head = async () => Number((await call(url, "prooflight_head", {}))?.height ?? -1);
  while ((await head()) < newest && Date.now() < until) await sleep(100);
  await checkAcknowledged(state, url);
}

/** Kills the leader, and waits until the standby has made a block. */
async function kill(state, life = LIFE_MILLISECONDS) {
  const until = Date.now() + life;
  while (Date.now() < until && !state.ended) await sleep(50);
  if (state.ended) return;
  const { leader, standby } = state;
  if (!state.faults) await state.cost.leaves(leader, "leader");
  await leader.kill();
  const killed = Date.now();
  // From now on, blocks are the standby's.
  const { blocks } = state;
  state.leader = standby;
  while (state.blocks === blocks && !state.ended) await sleep(10);
  if (state.ended) return;
  const milliseconds = Date.now() - killed;
  const { height } = state.acknowledged;
  state.takeovers.push({ name: leader.name, milliseconds, height });
  // The killed node comes back as the new standby, with what its folder has.
  state.standby = await startStandby(state, leader.name, leader.url);
  if (state.faults) return;
  say(
    `  killed ${leader.name}; the next block after ${seconds(milliseconds)}  ` +
      dim(`height ${height}, ${state.answers} answers verified, ${state.lies} lies refused`),
  );
}

async function killOnce(state) {
  await kill(state);
  // Readers verify some blocks of the new leader.
  if (!state.ended) await sleep(2000);
}

async function killAgain(state) {
  while (!state.ended) await kill(state);
}

/** What the page shows. */
async function status(state) {
  const { place, blocks, answers, past, lies, wrong, takeovers } = state;
  const { leader, standby, readers, history } = state;
  // A node that was just killed does not say what it has asked for.
  state.costs = await costRows(state).catch(() => state.costs);
  return {
    ...{ log: place.log, blocks, answers, past, lies, wrong: [...new Set(wrong)] },
    costs: state.costs ?? [],
    nodes: [
      [leader.name, standby === leader ? "has just taken over" : "leader", leader.url],
      ...(standby === leader ? [] : [[standby.name, "standby", standby.url]]),
      ...readers.map(({ name, url }) => [name, "reader", url]),
      ...(history ? [[history.name, "proofs of the past, from the bucket", history.url]] : []),
    ],
    takeovers: takeovers
      .map(({ name, milliseconds, height }) => [name, seconds(milliseconds), `${height}`])
      .reverse(),
  };
}

async function verdict(state, once) {
  const { blocks, answers, past, lies, takeovers, wrong } = state;
  await (state.faults ? sayDisturbed(state) : sayCosts(state));
  const slowest = Math.max(...takeovers.map(({ milliseconds }) => milliseconds));
  const pause = takeovers.length > 0 ? ` (slowest ${seconds(slowest)})` : "";
  say(
    `\n${blocks} blocks, ${takeovers.length} takeovers${pause}, ` +
      `${answers} answers verified, ${past} about the past, ${lies} lies refused, ${wrong.length} wrong`,
  );
  for (const what of new Set(wrong)) say(red(`  ${what}`));
  const taken = !once || takeovers.length === 1;
  const each = [blocks, answers, past, lies].every((count) => count > 0);
  const good = wrong.length === 0 && each && taken;
  say(good ? green("✔ blocks went on, and no answer was wrong") : red("✗ something went wrong"));
  return good ? 0 : 1;
}

function sayDisturbed({ disturbed, faults }) {
  for (const [title, counts] of [
    ["nodes", disturbed],
    ["requests", faults.counts],
  ]) {
    const parts = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
    say(`${bold(title)}  ${parts.sort().join(", ")}`);
  }
}

async function sayCosts(state) {
  say(`\n${bold("requests to the log")}, for ${state.blocks} blocks`);
  const rows = (await costRows(state)).map(([role, read, create, cost]) => [
    `  ${role}`,
    `${read} reads`,
    `${create} creates`,
    `${cost} dollars a million blocks`,
  ]);
  table(rows, "lrrr").forEach((line) => say(line));
}

/** The requests of each role to the log, and the dollars that they would cost for a million blocks. */
async function costRows({ cost, blocks, leader, standby, readers, history }) {
  const costs = await cost.byRole([
    ["leader", leader],
    // A leader that has just taken over is both until the other node is back.
    ...(standby === leader ? [] : [["standby", standby]]),
    ...[...readers, ...(history ? [history] : [])].map((node) => [node.name, node]),
  ]);
  return costs.map(({ role, read, create }) => {
    const price = dollars({ read, create }) * (1e6 / Math.max(blocks, 1));
    return [role, `${read}`, `${create}`, price.toFixed(2)];
  });
}

function sayWhere({ place, leader, standby, readers, history }, { proxy, page, wallet }, disturb) {
  const rows = [
    ["page", `${cyan(page.url)}  what goes on`],
    ["wallet", `${cyan(wallet.url)}  asks ${readers[1].name}, verifies in your browser`],
    ["log", place.log],
    ["leader", leader.url],
    ["standby", standby.url],
    ...readers.map(({ name, url }) => [name, url]),
    ["history", `${history.url}  ${dim("from the snapshots in the bucket")}`],
    ["liar", `${proxy.url}/${LIE}  ${dim(`before ${readers[0].name}`)}`],
  ];
  say();
  table(
    rows.map(([name, value]) => [`  ${bold(name)}`, value]),
    "ll",
  ).forEach((line) => say(line));
  const what = disturb
    ? `Kills or pauses nodes ${disturb} times, while the S3 server fails.`
    : `Kills the leader every ${LIFE_MILLISECONDS / 1000} s.`;
  say(dim(`\n${what} Ctrl-C ends it.\n`));
}

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;
