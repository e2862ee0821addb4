// `node crates/testing/bench/history/bench.mjs [--quick]`: historical proofs of a real node, verified by the SDK in
// Node. No peer proves histories; what one key takes there is a row of `prooflight-bench --trees`.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { LightClient, fromHex, toBundle } from "prooflight";
import { verifySmtProof } from "prooflight/smt";

import { ask } from "../../../../scripts/lib/command.mjs";
import { startNode } from "../../../../scripts/lib/demo/node.mjs";
import { node as program } from "../../../../scripts/lib/paths.mjs";
import { main, task } from "../../../../scripts/lib/task.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";
import { Asker } from "../log/asker.mjs";
import { quartiles } from "../samples.mjs";

/** Blocks, of which every second one changes the key that is asked for. */
const CHANGES = 100;
const ROUNDS = 60;
const WARM = 20;
const MANY = 100;

const key = (n) => `0x${Buffer.from(`key ${n}`).toString("hex")}`;

await main(async () => {
  const keys = process.argv.includes("--quick") ? 20_000 : 200_000;
  const folder = mkdtempSync(join(tmpdir(), "prooflight-bench-"));
  const { url, stop, checkpoint } = await chain(folder, keys);
  try {
    const client = await LightClient.connect({ urls: [url], checkpoint });
    say(`${keys} keys, ${2 * CHANGES} blocks, of which ${CHANGES} change one of the keys`);
    show([...(await histories(client)), ...(await values(client))]);
    client.close();
  } finally {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A node with a chain whose every second block changes the first key, and each other one another key. */
async function chain(folder, keys) {
  const data = join(folder, "chain");
  await task(`a chain with ${keys} keys`, async ({ sh }) => {
    const state = join(folder, "state.jsonl");
    const lines = Array.from({ length: keys }, (_, n) =>
      JSON.stringify({ key: key(n), value: "0x01" }),
    );
    writeFileSync(state, lines.join("\n"));
    const schemes = ["--schemes", "avl,smt"];
    await sh(program, ["init", "--data-dir", data, "--chain-id", "bench", ...schemes]);
    await sh(program, ["import", state, "--data-dir", data]);
  });
  const checkpoint = JSON.parse(ask(program, "checkpoint", "--data-dir", data));
  const running = await startNode(folder, 0);
  await task(`${2 * CHANGES} blocks`, async () => {
    const asker = new Asker(running);
    for (let n = 1; n <= 2 * CHANGES; n++) {
      const value = `0x${n.toString(16).padStart(64, "0")}`;
      await asker.submit([{ op: "Set", key: key(n % 2 === 0 ? 0 : n), value }]);
    }
    asker.close();
  });
  return { ...running, checkpoint };
}

/** What a client verifies: the proof and the headers that it rests on. */
async function histories(client) {
  const { height } = client.head;
  const from = height - BigInt(2 * CHANGES) + 1n;
  const times = [];
  let last;
  for (let round = 0; round < ROUNDS; round++) {
    last = await client.history(fromHex(key(0)), { from });
    if (last.changes.length !== CHANGES) throw new Error(`${last.changes.length} changes`);
    times.push(last.evidence.milliseconds * 1000);
  }
  const { proofBytes, headers } = last.evidence;
  return [[`a history of ${CHANGES} changes`, `${proofBytes}, ${headers} headers`, times]];
}

/** What `verifySmtProof` takes for one key and for many. */
async function values(client) {
  const rows = [];
  for (const count of [1, MANY]) {
    const keys = Array.from({ length: count }, (_, n) => fromHex(key(7 * n)));
    const [answer] = await client.getMany(keys, { scheme: "smt" });
    const input = {
      root: answer.block.roots.smt,
      height: answer.block.height,
      keys,
      proof: fromHex(toBundle(answer).proof),
    };
    const times = [];
    const calls = Math.ceil(2000 / count);
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now();
      for (let call = 0; call < calls; call++) verifySmtProof(input);
      times.push(((performance.now() - started) * 1000) / calls);
    }
    rows.push([count === 1 ? "one key" : `${count} keys`, `${input.proof.length}`, times]);
  }
  return rows;
}

function show(rows) {
  const lines = rows.map(([what, bytes, times]) => {
    // The first rounds run code that the engine has not optimised yet.
    const { low, median, high } = quartiles(times.slice(WARM));
    const first = `first ${times[0].toFixed(1)}`;
    const middle = `(${low.toFixed(1)}-${high.toFixed(1)}; ${first})`;
    return [`  ${what}`, bytes, `${median.toFixed(1)} µs`, middle];
  });
  table([["", "bytes", "time", ""], ...lines], "lrrr").forEach((line) => say(line));
  say(
    "Times are those of the clock: medians, in brackets the middle half of them, and the first one.",
  );
}
