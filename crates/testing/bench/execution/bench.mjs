// `node crates/testing/bench/execution/bench.mjs [--quick]`: calls and estimates through our provider and through Helios, over one
// chain with mainnet's rules. Both start from the same checkpoint, and the same servers answer them.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { prepare } from "../../../../scripts/lib/setup.mjs";
import { main, Problem, task } from "../../../../scripts/lib/task.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";

const CLIENTS = ["ours", "helios"];
/** Milliseconds before each reply in the run that counts round trips. */
const LATENCY = 250;

const LEGEND = `
Processor times of the whole process, medians of new processes; replies come from memory, in the same process. Trips are the
replies that were waited for one after another: the time on the clock with ${LATENCY} ms before each reply. An answer "again" is
asked for in the same block.`;

await main(async () => {
  const tools = ["npm for tests", "npm for benchmarks", "npm for light clients"];
  await prepare(tools);
  const { makeChain } = await import("./record.mjs");
  const folder = mkdtempSync(join(tmpdir(), "prooflight-bench-"));
  const file = join(folder, "recording.json");
  try {
    let made;
    await task("make a chain", async () => {
      made = await makeChain();
    });
    const { recording, stop } = made;
    try {
      writeFileSync(file, JSON.stringify(recording));
      for (const client of CLIENTS) sample(client, file);
    } finally {
      stop();
    }
    const count = process.argv.includes("--quick") ? 3 : 9;
    const samples = Array.from({ length: count }, () =>
      CLIENTS.map((client) => sample(client, file)),
    );
    show(
      samples,
      CLIENTS.map((client) => sample(client, file, LATENCY)),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** One process of a client. */
function sample(client, file, latency = 0) {
  const script = fileURLToPath(new URL("sample.mjs", import.meta.url));
  const args = [script, client, file, String(latency)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Problem(`${client}: ${stderr.slice(0, 2000)}`);
  return JSON.parse(stdout);
}

function show(samples, delayed) {
  const [[first]] = samples;
  const titles = Object.keys(first);
  const median = (title, client) => {
    const sorted = samples.map((of) => of[client][title].milliseconds).sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
  };
  const rows = titles.map((title) => {
    const times = CLIENTS.map((_, client) => median(title, client));
    const parts = CLIENTS.map((_, client) => samples[0][client][title]);
    const trips = delayed.map((of) => Math.round(of[title].clock / LATENCY));
    const kilobytes = ({ bytes }) => (bytes / 1000).toFixed(1);
    checkAnswers(title, parts);
    return [
      `  ${title}`,
      ...times.map((time) => `${time.toFixed(1)} ms`),
      times[1] > 0 ? (times[0] / times[1]).toFixed(2) : "",
      parts.map(kilobytes).join(" : "),
      parts.map(({ requests }) => requests).join(" : "),
      trips.join(" : "),
    ];
  });
  const head = ["", "ours", "Helios", "ours / Helios", "kB", "requests", "trips"];
  table([head, ...rows], "lrrrrrr").forEach((line) => say(line));
  say(LEGEND);
  say(`${cpus().length} x ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}`);
}

/** Both must have given the same answer. Estimates may differ: each client searches in its own way. */
function checkAnswers(title, [ours, helios]) {
  if (title.includes("estimate")) return;
  if (ours.value !== helios.value) {
    throw new Problem(`${title}: ${ours.value} here, ${helios.value} by Helios`);
  }
}
