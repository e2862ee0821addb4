// Makes the recorded answers of the page about Ethereum from the repository's recorded data of mainnet, as a beacon
// node and an execution node would give them. Run by samples.mjs.

import { readCases, serve } from "../../../packages/prooflight/test/ethereum/recorded.js";

const CASE = "eth_getLogs1";
const PREFIX = "/eth/v1/beacon/light_client";

/** The files: for each name its contents. */
export async function ethereumSamples(): Promise<Map<string, Uint8Array | string>> {
  const recorded = readCases().find(({ name }) => name === CASE);
  const served = recorded && (await serve(recorded));
  if (typeof served !== "object") throw new Error(`${CASE} lacks ${String(served)}`);
  const { checkpoint, now, number, beacon, execution } = served;
  const ssz = (path: string) => {
    const found = beacon(`${PREFIX}/${path}`, false);
    if (found instanceof Uint8Array) return found;
    throw new Error(`no ${path}`);
  };
  const bootstrap = ssz(`bootstrap/${checkpoint}`);
  // The header is after the committee, where the first four bytes point.
  const view = new DataView(bootstrap.buffer, bootstrap.byteOffset, bootstrap.length);
  const period = Math.floor(Number(view.getBigUint64(view.getUint32(0, true), true)) / 8192);
  const block = execution("eth_getBlockByNumber", [`0x${number.toString(16)}`, true]);
  const { hash } = block as { hash: string };
  const about = {
    origin:
      "Ethereum mainnet, block 21854576; test data of github.com/corpus-core/colibri-stateless",
    license: "MIT",
    checkpoint,
    period,
    now: Number(now),
  };
  const json = (value: unknown) => `${JSON.stringify(value)}\n`;
  return new Map<string, Uint8Array | string>([
    ["about.json", `${JSON.stringify(about, undefined, 2)}\n`],
    ["bootstrap.ssz", bootstrap],
    ["updates.ssz", ssz(`updates?start_period=${period}&count=16`)],
    ["finality_update.ssz", ssz("finality_update")],
    ["optimistic_update.ssz", ssz("optimistic_update")],
    ["block.json", json(block)],
    ["receipts.json", json(execution("eth_getBlockReceipts", [hash]))],
  ]);
}
