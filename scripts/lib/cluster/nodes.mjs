// The nodes of the cluster: real programs with folders of their own, and one log.

import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { runNode } from "../node.mjs";
import { Problem } from "../task.mjs";

const KEY = "authority-0.key";

const ANY = "127.0.0.1:0";
/** Milliseconds between blocks and between looks for them: short, so that a takeover is soon visible. */
const PACE = { block: 100, follow: 100 };

/** Makes the folder of another leader, with the first one's key and no chain. */
export function prepareSecond(folder, first, second) {
  mkdirSync(join(folder, second));
  copyFileSync(join(folder, first, KEY), join(folder, second, KEY));
}

/** Starts a node again at its address, as often as it takes: a bucket that fails may end it at its start. */
export async function startAgain(place, command, name, settings, url) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startNode(place, command, name, settings, new URL(url).host);
    } catch (error) {
      if (!(error instanceof Problem) || tries === 30) throw error;
      await sleep(200);
    }
  }
}

/** Starts a node by `run` or `serve` on a log, or without one if the place has none. It serves the place's origin. */
export function startNode(place, command, name, settings = [], listen = ANY) {
  const { folder, log, origin, pace = PACE } = place;
  const pages = origin ? ["--origin", origin] : [];
  const own = ["--data-dir", join(folder, name), "--block-interval-ms", `${pace.block}`, ...pages];
  const shared = log ? ["--log", log, "--checkpoint", join(folder, "checkpoint.json")] : [];
  return launch(place, name, [command, "--listen", listen, ...own, ...shared, ...settings]);
}

/** Starts a proof server over the snapshots beside the log; a node gives it the headers. */
export const startHistory = (place, name, { url }) =>
  launch(place, name, ["serve-history", "--listen", ANY, "--snapshots", place.log, "--node", url]);

/** Starts the program; its output goes to NAME.log in the folder. */
async function launch({ folder, env, pace = PACE }, name, settings) {
  const log = join(folder, `${name}.log`);
  const failed = () => new Problem(`The node ${name} stopped; see ${log}.`);
  // No node may write to a folder that is removed at the exit.
  const options = { log, flags: "a", env, signal: "SIGKILL", failed };
  const args = [...settings, "--follow-interval-ms", `${pace.follow}`];
  const { child, serving, stop } = runNode(args, options);
  const { address, admin } = await serving;
  return {
    name,
    pid: child.pid,
    url: `http://${address}`,
    admin: `http://${admin}`,
    /** Stops the process for a time, with all that it was about to do. */
    async pause(milliseconds) {
      child.kill("SIGSTOP");
      await sleep(milliseconds);
      child.kill("SIGCONT");
    },
    /** kill -9. */
    kill: stop,
  };
}

/** Submits operations; returns their block, or undefined if the node does not lead or does not answer. */
export const submit = (url, ops) => call(url, "prooflight_submit", { ops });

/** Calls a method; returns its result, or undefined if there is none. */
export async function call(url, method, params) {
  const request = { jsonrpc: "2.0", id: 1, method, params };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(5000),
    });
    return (await response.json()).result;
  } catch {
    return undefined;
  }
}

/** The requests of a node to the log, by kind. */
export async function requests({ admin }) {
  const text = await (await fetch(`${admin}/metrics`)).text();
  const found = text.matchAll(/^prooflight_log_requests_total\{request="(\w+)"\} (\d+)/gm);
  return Object.fromEntries([...found].map(([, kind, count]) => [kind, Number(count)]));
}
