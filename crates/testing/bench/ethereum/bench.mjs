// `node crates/testing/bench/ethereum/bench.mjs [--quick]`: Ethereum's light client in Node, with recorded answers of mainnet.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

import { inside } from "../../../../scripts/lib/paths.mjs";
import { main } from "../../../../scripts/lib/task.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";

const LEGEND = `
Processor times of the whole process, medians; bytes as servers send them, without compression. The servers
are functions of the same process that return recorded bytes. The day of logs is by proportion: a header for
each of 7,200 blocks, and the receipts of the 3.8 % whose blooms do not exclude an address with a rare topic.\nThe recorded block has 57 transactions, fewer than most.`;

const LOGS = "logs of a contract in one block";

/** Blocks of a day, and the share of them whose blooms may match; measured on 64 recorded blocks. */
const DAY = 7200;
const SHARE = 0.038;

await main(() => {
  const wasm = readFileSync(
    inside("packages", "prooflight", "dist", "wasm", "prooflight-ethereum.wasm"),
  );
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  say(`The binary: ${kib(wasm.length)}, ${kib(brotliCompressSync(wasm).length)} with brotli`);
  // Each sample is a process of its own, so that nothing is compiled or optimised beforehand.
  const samples = Array.from({ length: process.argv.includes("--quick") ? 3 : 15 }, () => {
    const ofCases = ["eth_call1", "eth_getLogs1"].map((name) => {
      const file = fileURLToPath(new URL("sample.mjs", import.meta.url));
      const { status, stdout, stderr } = spawnSync(process.execPath, [file, name], {
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(stderr);
      return JSON.parse(stdout);
    });
    return Object.assign({}, ...ofCases);
  });
  const [first] = samples;
  const median = (name) => {
    const sorted = samples.map((sample) => sample[name].milliseconds).sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
  };
  const rows = Object.keys(first).map((name) => [
    `  ${name}`,
    `${median(name).toFixed(1)} ms`,
    `${(first[name].bytes / 1000).toFixed(1)} kB`,
    `${first[name].requests} requests`,
  ]);
  const header = first["a block's header, again"];
  const receipts = first[LOGS];
  const day = (of) =>
    DAY * of(header, "a block's header, again") + DAY * SHARE * of(receipts, LOGS);
  rows.push([
    "  a day of logs, by proportion",
    `${(day((_, name) => median(name)) / 1000).toFixed(1)} s`,
    `${(day(({ bytes }) => bytes) / 1e6).toFixed(0)} MB`,
    "",
  ]);
  table(rows, "lrrr").forEach((line) => say(line));
  say(LEGEND);
});
