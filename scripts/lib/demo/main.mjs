// The demo of `npm start`: a node, a light client that trusts only its checkpoint, a wallet page, and a
// liar that gets caught.

import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { buildExample } from "../build.mjs";
import { cache, inside } from "../paths.mjs";
import { bold, cyan, dim, green, red, say, table } from "../terminal.mjs";
import { makePast, startActivity } from "./activity.mjs";
import { verifyErgoBlocks } from "./ergo.mjs";
import { serveExample } from "./example.mjs";
import { isFree, prepareChain, startNode } from "./node.mjs";
import { account, NAMES, readAmount } from "./sample.mjs";

const PORTS = { node: 8645, proxy: 8646, wallet: 4173, ergo: 4174 };
/** The wallet of `npm run dev -w examples/wallet`. */
const DEVELOPMENT = "http://localhost:4175";
const LIE = "changed-value";

/** Runs the demo until Ctrl-C, or with `once` until it has printed its answers; returns the exit code. */
export async function demo({ once }) {
  const folder = join(cache, "demo");
  const open = [];
  try {
    const checkpoint = await prepareChain(folder);
    process.env.PROOFLIGHT_DEMO = join(folder, "demo.json");
    const wallet = await serveExample("examples/wallet", PORTS.wallet);
    open.push(() => wallet.close());
    const origins = [new URL(wallet.url).origin, DEVELOPMENT];
    const node = await startNode(folder, PORTS.node, origins);
    open.push(() => node.stop());
    const { startProxy } = await import(inside("packages/lying-proxy/src/proxy.mjs"));
    const proxy = await startProxy({
      target: node.url,
      port: (await isFree(PORTS.proxy)) ? PORTS.proxy : 0,
    });
    open.push(() => proxy.close());
    const servers = { node: node.url, proxy: proxy.url };
    writeDemo({ servers, checkpoint, accounts: NAMES, insecureSetup: true });

    const { LightClient } = await import("prooflight");
    const honest = await LightClient.connect({ urls: [servers.node], checkpoint });
    open.push(() => honest.close());
    await makePast(node.url, honest);
    if (!(await show(LightClient, honest, checkpoint, servers))) return 1;
    const page = "examples/verify-in-browser";
    const blocks = await serveExample(page, PORTS.ergo, () => buildExample(page));
    open.push(() => blocks.close());
    sayWhere(servers, folder, wallet, blocks, once);
    if (once) return 0;
    open.push(startActivity(node.url, honest));
    await Promise.race([interrupted(), node.ended.then(() => say(red("The node stopped.")))]);
    say(dim("\nstopping"));
    return 0;
  } finally {
    for (const close of open.reverse()) await close();
  }
}

/** The settings that the page needs and must not take from a server. */
function writeDemo(content) {
  writeFileSync(process.env.PROOFLIGHT_DEMO, `${JSON.stringify(content, undefined, 2)}\n`);
}

/** Prints one verified and one refused answer; returns false if the false answer was accepted. */
async function show(LightClient, client, checkpoint, servers) {
  const { blocks, operations, milliseconds } = await verifyErgoBlocks();
  say(
    `\n${green("✔")} ${bold("Ergo's mainnet")}  ${blocks} real blocks, ${operations} operations, verified in ${milliseconds.toFixed(0)} ms`,
  );
  const key = new TextEncoder().encode(account(NAMES[0]));
  const answer = await client.get(key);
  say(`\n${green("✔")} ${bold("verified")}  an answer from the node on this machine`);
  rows([
    ["key", account(NAMES[0])],
    ["value", bold(answer.value ? (readAmount(answer.value) / 100).toFixed(2) : "no account")],
    ["block", `${answer.block.height}  ${dim(hex(answer.block.hash))}`],
    [
      "proof",
      `${answer.evidence.proofBytes} bytes, verified in ${answer.evidence.milliseconds.toFixed(1)} ms`,
    ],
    [
      "trusted",
      `the checkpoint at height ${Number(checkpoint.height)}  ${dim(checkpoint.headerHash)}`,
    ],
  ]);
  try {
    const urls = [`${servers.proxy}/${LIE}`];
    const liar = await LightClient.connect({ urls, checkpoint });
    await liar.get(key);
  } catch (error) {
    if (error.name !== "VerifyError") throw error;
    say(`\n${green("✔")} ${bold("refused")}  the same answer from a server that changed the value`);
    rows([
      ["code", red(error.code)],
      ["reason", red(error.reason)],
      ["expected", error.details.expected],
      ["found", error.details.found],
    ]);
    return true;
  }
  say(red("\n✗ A lie was accepted, which must never happen."));
  return false;
}

function sayWhere({ node, proxy }, folder, wallet, blocks, once) {
  say();
  rows([
    [
      bold("wallet"),
      `${cyan(wallet.url)}  accounts, verified in your browser, with a liar that you can switch on`,
    ],
    [bold("blocks"), `${cyan(blocks.url)}  real Ergo blocks, and forged ones`],
    [bold("node"), `${cyan(node)}  JSON-RPC; its store and log are in ${relative(".", folder)}`],
    [bold("liar"), `${cyan(proxy)}  /lies lists its lies`],
  ]);
  const flags = `--server ${node} --checkpoint ${relative(".", join(folder, "checkpoint.json"))}`;
  say(dim(`\nnpx prooflight get account/bob ${flags}`));
  say(dim(`node examples/stateless-follower/src/main.mjs ${flags}`));
  say(dim(once ? "\nnpm start without --once keeps them running." : "\nCtrl-C ends it."));
}

function interrupted() {
  // The demo always ends by being stopped: this is not a failure.
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
  return new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
}

const rows = (pairs) =>
  table(
    pairs.map(([name, value]) => [`  ${name}`, value]),
    "ll",
  ).forEach((line) => say(line));

const hex = (bytes) => `0x${Buffer.from(bytes).toString("hex")}`;
