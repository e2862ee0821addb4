// `node crates/testing/bench/ethereum/helios.mjs [CASE]`: how far Helios gets with the recorded answers of bench.mjs, and what it takes.
// Helios also asks for the whole blocks of the newest and the finalized head, which are not recorded: it gets another recorded block
// for both, and refuses them after it has verified the update.

import { setTimeout as sleep } from "node:timers/promises";

import { runnerImport } from "vite";

import { inside } from "../../../../scripts/lib/paths.mjs";
import { prepare } from "../../../../scripts/lib/setup.mjs";
import { main, Problem } from "../../../../scripts/lib/task.mjs";
import { say } from "../../../../scripts/lib/terminal.mjs";

const BLOCKS = "/eth/v2/beacon/blocks/";

/** Answers the requests of the page that Helios takes this process for; `sent` counts them. */
function answer({ beacon }, block, sent) {
  const before = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const { url } = new Request(input, init);
    // Its WebAssembly is in its file.
    if (url.startsWith("data:")) return before(input, init);
    const { pathname, search } = new URL(url);
    const reply = pathname.startsWith(BLOCKS)
      ? block
      : JSON.stringify(beacon(pathname + search, true));
    sent.bytes += reply.length;
    sent.paths.push(pathname);
    const response = new Response(reply, { headers: { "content-type": "application/json" } });
    return Promise.resolve(Object.defineProperty(response, "url", { value: url }));
  };
}

await main(async () => {
  await prepare(["npm for tests", "npm for light clients"]);
  const name = process.argv[2] ?? "eth_call1";
  const tests = inside("packages", "prooflight", "test", "ethereum", "recorded.ts");
  const { module } = await runnerImport(tests);
  const found = module.readCases().find((one) => one.name === name);
  const served = await module.serve(found);
  if (typeof served === "string") throw new Problem(`${name} lacks: ${served}`);
  const [{ types, fork, message }] = found.blocks;
  const data = types.SignedBeaconBlock.toJson({ message, signature: new Uint8Array(96) });
  const sent = { bytes: 0, paths: [] };
  answer(served, JSON.stringify({ version: fork, data }), sent);

  const started = performance.now();
  const { createHeliosProvider } = await import("@a16z/helios");
  const importing = performance.now() - started;
  Date.now = () => Number(served.now);
  const cpu = process.cpuUsage();
  const options = { network: "mainnet", checkpoint: served.checkpoint, dbType: "config" };
  const servers = { consensusRpc: "http://beacon.test", executionRpc: "http://execution.test" };
  await createHeliosProvider({ ...options, ...servers }, "ethereum");
  const blocks = () => sent.paths.filter((path) => path.startsWith(BLOCKS));
  for (let tenths = 0; blocks().length < 2 && tenths < 200; tenths += 1) await sleep(100);
  await sleep(500);
  const { user, system } = process.cpuUsage(cpu);
  if (blocks().length < 2) throw new Problem(`Helios stopped after ${sent.paths.join(" ")}`);
  const milliseconds = `${((user + system) / 1000).toFixed(1)} ms of processor time`;
  say(
    `${name}: asked for the blocks of slots ${blocks()
      .map((path) => path.slice(BLOCKS.length))
      .join(", ")}`,
  );
  say(`${milliseconds}, ${sent.bytes} bytes; ${importing.toFixed(0)} ms before for importing`);
  // It would go on following.
  process.exit(0);
});
