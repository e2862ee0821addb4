// Makes the recorded answers of the page about Ethereum from the repository's recorded data of mainnet, as a beacon
// node and an execution node would give them. Run by samples.mjs.

import { EthereumClient, type Hex } from "prooflight/ethereum";

import {
  type Case,
  readCases,
  serve,
  type Served,
} from "../../../packages/prooflight/test/ethereum/recorded.js";
import {
  type About,
  type Block,
  optionsOf,
  type Proof,
  serving,
} from "../src/ethereum/recorded.js";

const PREFIX = "/eth/v1/beacon/light_client";

type Files = Record<string, Uint8Array<ArrayBuffer> | string>;

const json = (value: unknown) => `${JSON.stringify(value)}\n`;

/** The files: for each name its contents. */
export async function ethereumSamples(): Promise<Map<string, Uint8Array | string>> {
  const files = new Map<string, Uint8Array | string>();
  for (const [name, folder, ofExecution] of [
    ["eth_getLogs1", "receipt", receiptFiles],
    ["eth_call1", "call", callFiles],
  ] as const) {
    const recorded = readCases().find((one) => one.name === name);
    const served = recorded && (await serve(recorded));
    if (!recorded || !served) throw new Error(`${name} is not recorded`);
    if (typeof served === "string") throw new Error(`${name} lacks ${served}`);
    const beacon = beaconFiles(served);
    const all = { ...beacon, ...(await ofExecution(served, recorded, beacon)) };
    for (const [file, contents] of Object.entries(all)) files.set(`${folder}/${file}`, contents);
  }
  return files;
}

function beaconFiles({ checkpoint, now, number, beacon }: Served) {
  const ssz = (path: string) => {
    const found = beacon(`${PREFIX}/${path}`, false);
    if (found instanceof Uint8Array) return Uint8Array.from(found);
    throw new Error(`no ${path}`);
  };
  const bootstrap = ssz(`bootstrap/${checkpoint}`);
  // The header is after the committee, where the first four bytes point.
  const view = new DataView(bootstrap.buffer, bootstrap.byteOffset, bootstrap.length);
  const period = Math.floor(Number(view.getBigUint64(view.getUint32(0, true), true)) / 8192);
  const about = {
    origin: `Ethereum mainnet, block ${number}; test data of github.com/corpus-core/colibri-stateless`,
    license: "MIT",
    checkpoint,
    period,
    now: Number(now),
  };
  return {
    "about.json": `${JSON.stringify(about, undefined, 2)}\n`,
    "bootstrap.ssz": bootstrap,
    "updates.ssz": ssz(`updates?start_period=${period}&count=16`),
    "finality_update.ssz": ssz("finality_update"),
    "optimistic_update.ssz": ssz("optimistic_update"),
  };
}

const hexOf = (number: bigint): Hex => `0x${number.toString(16)}`;

function receiptFiles({ hash, number, execution }: Served): Files {
  return {
    "block.json": json(execution("eth_getBlockByNumber", [hexOf(number), true])),
    "receipts.json": json(execution("eth_getBlockReceipts", [hash])),
  };
}

/** The state that the call reads, and what it returned. The list of what it reads is not recorded, but computed here. */
async function callFiles(
  { hash, execution }: Served,
  { asked, replies }: Case,
  beacon: ReturnType<typeof beaconFiles>,
): Promise<Files> {
  const block = execution("eth_getBlockByHash", [hash, false]) as Block;
  const [{ to, data }] = asked?.params as [{ to: Hex; data: Hex }];
  const proofs = (replies as Proof[]).filter((reply) => Array.isArray(reply.accountProof));
  const codes = proofs.map(({ address }) => [
    address,
    execution("eth_getCode", [address, { blockHash: hash }]) as Hex,
  ]);
  const state = {
    call: { to, data },
    returned: asked?.expected as Hex,
    proofs,
    codes: Object.fromEntries(codes) as Record<Hex, Hex>,
  };
  const answers = {
    about: JSON.parse(beacon["about.json"]) as About,
    bootstrap: beacon["bootstrap.ssz"],
    updates: beacon["updates.ssz"],
    finality: beacon["finality_update.ssz"],
    optimistic: beacon["optimistic_update.ssz"],
    block,
    receipts: [],
    state,
  };
  const client = await EthereumClient.connect({ ...optionsOf(answers), fetch: serving(answers) });
  const { accessList, gasUsed } = await client.createAccessList(state.call);
  const hint = { accessList, gasUsed: hexOf(gasUsed) };
  return { "block.json": json(block), "state.json": json({ ...state, hint }) };
}
