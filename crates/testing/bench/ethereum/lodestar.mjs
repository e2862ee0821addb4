// `node crates/testing/bench/ethereum/lodestar.mjs [CASE]`: the first verified head of Lodestar's light client, from the same recorded
// answers as bench.mjs. A native library verifies its signatures.

import { runnerImport } from "vite";

import { inside } from "../../../../scripts/lib/paths.mjs";
import { prepare } from "../../../../scripts/lib/setup.mjs";
import { main, Problem } from "../../../../scripts/lib/task.mjs";
import { say } from "../../../../scripts/lib/terminal.mjs";

const GENESIS = {
  genesisTime: 1_606_824_023,
  genesisValidatorsRoot: "0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95",
};

const load = (name) => import(new URL(`node_modules/@lodestar/${name}`, import.meta.url).href);

/** The recorded answers in SSZ, decoded by Lodestar's types while it is measured; `total` counts their bytes. */
function transportOf({ beacon }, ssz, total) {
  const fetch = (path) => {
    const bytes = beacon(`/eth/v1/beacon/light_client/${path}`, false);
    total.bytes += bytes.length;
    return bytes;
  };
  const one = (path, type) =>
    Promise.resolve({ version: "deneb", data: ssz.deneb[type].deserialize(fetch(path)) });
  return {
    getBootstrap: (root) => one(`bootstrap/${root}`, "LightClientBootstrap"),
    getFinalityUpdate: () => one("finality_update", "LightClientFinalityUpdate"),
    getOptimisticUpdate: () => one("optimistic_update", "LightClientOptimisticUpdate"),
    getUpdates(start, count) {
      const bytes = fetch(`updates?start_period=${start}&count=${count}`);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const updates = [];
      for (let at = 0; at < bytes.length;) {
        const end = at + 8 + Number(view.getBigUint64(at, true));
        const data = ssz.deneb.LightClientUpdate.deserialize(bytes.slice(at + 12, end));
        updates.push({ version: "deneb", data });
        at = end;
      }
      return Promise.resolve(updates);
    },
    onOptimisticUpdate() {},
    onFinalityUpdate() {},
  };
}

await main(async () => {
  await prepare(["npm for tests", "npm for light clients"]);
  const name = process.argv[2] ?? "eth_call1";
  const tests = inside("packages", "prooflight", "test", "ethereum", "recorded.ts");
  const { module } = await runnerImport(tests);
  const served = await module.serve(module.readCases().find((one) => one.name === name));
  if (typeof served === "string") throw new Problem(`${name} lacks: ${served}`);
  const started = performance.now();
  const { Lightclient } = await load("light-client/lib/index.js");
  const { createChainForkConfig, defaultChainConfig } = await load("config/lib/index.js");
  const { ssz } = await load("types/lib/index.js");
  const importing = performance.now() - started;
  const total = { bytes: 0 };
  // The clock of the recorded head.
  Date.now = () => Number(served.now);
  const cpu = process.cpuUsage();
  const client = await Lightclient.initializeFromCheckpointRoot({
    config: createChainForkConfig(defaultChainConfig),
    genesisData: GENESIS,
    transport: transportOf(served, ssz, total),
    checkpointRoot: Buffer.from(served.checkpoint.slice(2), "hex"),
  });
  await client.start();
  // It asks for the newest head after it has started.
  const deadline = performance.now() + 20_000;
  while (client.getHead().beacon.slot < Number(served.slot) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const { user, system } = process.cpuUsage(cpu);
  const { slot } = client.getHead().beacon;
  const milliseconds = `${((user + system) / 1000).toFixed(1)} ms of processor time`;
  const loaded = `${importing.toFixed(0)} ms before for importing`;
  say(`${name}: slot ${slot} of ${served.slot}, ${milliseconds}, ${total.bytes} bytes; ${loaded}`);
  // It would go on following.
  process.exit(0);
});
