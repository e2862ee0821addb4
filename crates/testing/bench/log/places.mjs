// Where nodes run: temporary folders with copies of a chain, and a log in a bucket behind a proxy that delays.

import { cpSync, createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { startFaults } from "../../../../scripts/lib/cluster/faults.mjs";
import { call, startNode } from "../../../../scripts/lib/cluster/nodes.mjs";
import { ask } from "../../../../scripts/lib/command.mjs";
import { node as program } from "../../../../scripts/lib/paths.mjs";
import { startS3 } from "../../../../scripts/lib/s3.mjs";
import { Problem, task } from "../../../../scripts/lib/task.mjs";
import { lines } from "./keys.mjs";

const SCHEMES = "avl,smt";
const BLOCK = 10_000;
const CATCH_UP_TIMEOUT_MILLISECONDS = 20 * 60_000;

/** Runs `body` with places for nodes; everything ends and is removed with it, also at the exit of this program. */
export async function withPlaces(body) {
  const root = mkdtempSync(join(tmpdir(), "prooflight-log-"));
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove);
  const s3 = await startS3();
  try {
    return await body(new Places(root, s3.env));
  } finally {
    await s3.close();
    remove();
  }
}

class Places {
  #root;
  #env;
  /** Chains by their number of keys: an import is made once. */
  #chains = new Map();
  #places = 0;

  constructor(root, env) {
    this.#root = root;
    this.#env = env;
  }

  /** Runs `body` with a place for nodes whose chain has so many keys; kills them at the end. */
  async with(settings, body) {
    const place = await this.open(settings);
    try {
      return await body(place);
    } finally {
      await place.close();
    }
  }

  /** A place that its caller closes. */
  async open({ keys, delay, pace, logged = true }) {
    const chain = this.#chains.get(keys) ?? (await importChain(this.#root, keys));
    this.#chains.set(keys, chain);
    const folder = join(this.#root, `place-${(this.#places += 1)}`);
    mkdirSync(folder);
    cpSync(join(chain, "checkpoint.json"), join(folder, "checkpoint.json"));
    const place = new Place({ folder, chain, pace });
    if (logged) await place.addLog(this.#env, delay);
    return place;
  }
}

/** Nodes that share a log; `folder`, `log`, `env` and `pace` are what `startNode` needs. */
class Place {
  env = {};
  #chain;
  #nodes = [];
  #proxy;
  /** The milliseconds of every request to the bucket, by its method. */
  requests = { GET: [], PUT: [] };

  constructor({ folder, chain, pace }) {
    this.folder = folder;
    this.pace = pace;
    this.#chain = chain;
  }

  async addLog(env, delay) {
    const seen = (method, milliseconds) => (this.requests[method] ??= []).push(milliseconds);
    this.#proxy = await startFaults({ target: env.AWS_ENDPOINT_URL, delay, seen });
    this.env = { ...env, AWS_ENDPOINT_URL: this.#proxy.url };
    this.log = `${env.PROOFLIGHT_S3}${this.folder.slice(this.folder.lastIndexOf("/"))}`;
  }

  /** Starts the leader, on a copy of the chain. */
  lead(name, settings = []) {
    cpSync(join(this.#chain, "chain"), join(this.folder, name), { recursive: true });
    return this.start("run", name, [...(this.log ? ["--publish"] : []), ...settings]);
  }

  /** Starts a node. */
  async start(command, name, settings, listen) {
    const node = await startNode(this, command, name, settings, listen);
    this.#nodes.push(node);
    return node;
  }

  async close() {
    await Promise.all(this.#nodes.map((node) => node.kill()));
    await this.#proxy?.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Makes a chain with so many keys, and its checkpoint; returns their folder. */
async function importChain(root, keys) {
  const folder = join(root, `keys-${keys}`);
  mkdirSync(folder);
  const chain = join(folder, "chain");
  await task(`a chain with ${keys.toLocaleString("en")} keys`, async ({ sh }) => {
    const state = join(folder, "state.jsonl");
    const file = createWriteStream(state);
    for (let from = 0; from < keys; from += BLOCK) {
      if (!file.write(lines(from, Math.min(keys, from + BLOCK)))) await once(file, "drain");
    }
    await new Promise((resolve) => file.end(resolve));
    const own = ["--data-dir", chain];
    await sh(program, ["init", ...own, "--chain-id", "bench-log", "--schemes", SCHEMES]);
    await sh(program, ["import", state, "--block", `${BLOCK}`, ...own]);
    rmSync(state);
  });
  const checkpoint = ask(program, "checkpoint", "--height", "0", "--data-dir", chain);
  writeFileSync(join(folder, "checkpoint.json"), `${checkpoint}\n`);
  return folder;
}

/** The height of a node's newest block; -1 if it does not answer. */
export async function heightOf({ url }) {
  return Number((await call(url, "prooflight_head", {}))?.height ?? -1);
}

/** Waits until a node has every block of another; returns the height. */
export async function caughtUp(node, other) {
  const until = Date.now() + CATCH_UP_TIMEOUT_MILLISECONDS;
  while (Date.now() < until) {
    const height = await heightOf(other);
    if (height >= 0 && (await heightOf(node)) === height) return height;
    await sleep(100);
  }
  throw new Problem(`The node ${node.name} did not catch up.`);
}
