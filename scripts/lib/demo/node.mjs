// The demo's node: the real program, with its own store.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { runNode } from "../node.mjs";
import { node as program } from "../paths.mjs";
import { Problem, task } from "../task.mjs";
import { ask } from "../command.mjs";
import { sampleState } from "./sample.mjs";

/**
 * The schemes of the chain. The setup of `lvmt` is the development setup, which the page shows; its
 * vectors are short, so that the node starts at once. The eras of `lmpt` are short, so that values are in every layer.
 */
const SCHEMES = [
  ...["--schemes", "avl,lvmt,smt,lmpt,amb"],
  ...["--lvmt-log-n", "14", "--lmpt-era-blocks", "16"],
];

/** The version of the sample state and the chain; a chain of another version is replaced. */
const FORM = "cents; avl, lvmt 14, smt, lmpt 16, amb";

/** Makes the chain with its sample state unless it exists; returns the checkpoint to pin. */
export async function prepareChain(folder) {
  const chain = join(folder, "chain");
  const loaded = join(folder, "loaded");
  if (!existsSync(loaded) || readFileSync(loaded, "utf8") !== FORM) {
    // A chain whose state was not loaded completely is replaced, too.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await task("a chain with a sample state", async ({ sh }) => {
      const state = join(folder, "state.jsonl");
      writeFileSync(state, sampleState());
      await sh(program, ["init", "--data-dir", chain, "--chain-id", "prooflight-demo", ...SCHEMES]);
      await sh(program, ["import", state, "--data-dir", chain]);
      rmSync(state);
      writeFileSync(loaded, FORM);
    });
  }
  // From the node's own folder, as the founder of a chain would publish it; never over RPC.
  const checkpoint = ask(program, "checkpoint", "--height", "0", "--data-dir", chain);
  if (!checkpoint) throw new Problem(`${chain} is in use; is another npm start running?`);
  writeFileSync(join(folder, "checkpoint.json"), `${checkpoint}\n`);
  return JSON.parse(checkpoint);
}

/** Blocks are made only when there are operations, so that the first changes appear sooner. */
const PACE = ["--block-interval-ms", "50"];

/**
 * Runs the node, which serves the pages of these origins and no others; returns its URL and a function that stops it.
 * Without origins it serves reads to every page. The log is `node.log` in the folder.
 */
export async function startNode(folder, port, origins = []) {
  const listen = `127.0.0.1:${(await isFree(port)) ? port : 0}`;
  const log = join(folder, "node.log");
  const args = ["run", "--data-dir", join(folder, "chain"), "--listen", listen];
  const pages = origins.flatMap((origin) => ["--origin", origin]);
  const failed = () => new Problem(`The node stopped; the end of ${log}:\n${tail(log)}`);
  const options = { log, signal: "SIGTERM", failed };
  const { serving, ended, stop } = runNode([...args, ...pages, ...PACE], options);
  const { address } = await serving;
  return { url: `http://${address}`, log, ended, stop };
}

/** Whether nothing listens on a port of this machine. */
export function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

const tail = (file) => readFileSync(file, "utf8").trimEnd().split("\n").slice(-5).join("\n");
