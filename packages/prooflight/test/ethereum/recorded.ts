/** Recorded cases: a question, what a program made of it, and the replies that it had from both layers. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { type BeaconBlock, decode, decodeJson, hex, isBlock } from "./beacon-blocks.js";
import { type File, filesBelow, givenFolder, here } from "./folders.js";
import { addJson, addSsz, type LightClientData } from "./light-client-data.js";
import { type Network, networkOf } from "./networks.js";

export { serve, serveAll, type Pinned, type Served } from "./serve.js";

type Json = Record<string, unknown>;

/** Two beacon blocks, of which the second signs the first. */
export interface Pair {
  parent: BeaconBlock;
  child: BeaconBlock;
}

/** The question of a case, and its result according to the program that recorded it. */
export interface Asked {
  method: string;
  params: unknown[];
  expected: unknown;
}

export interface Case {
  name: string;
  network: Network | undefined;
  chainId: number;
  /** Undefined if there is no `test.json`. */
  asked: Asked | undefined;
  /** All that sign one another, the newest first. */
  pairs: Pair[];
  /** Every beacon block, also those that nothing signs. */
  blocks: BeaconBlock[];
  /** Results of execution nodes. Names of files may be cut, so what they are shows in what they contain. */
  replies: unknown[];
  lightClient: LightClientData;
  /** Files that cannot be used, and why. */
  unread: string[];
}

const given = givenFolder("PROOFLIGHT_ETHEREUM_MAINNET");
/** Whether the cases are those of the repository. */
export const OWN = given === undefined;

const FOLDERS =
  given === undefined
    ? [here("data"), here("../../../../crates/ethereum/tests/data/mainnet")]
    : [given];
/** The repository's light-client data of mainnet, which serve where a case has none. */
const LIGHT_CLIENT = here("../../../../crates/beacon/tests/data/mainnet");

const isData = ({ name }: File) => name.endsWith(".ssz") || name.endsWith(".json");

/** All folders with recorded data, by name; those of the repository are spread over two. */
function readFolders(): Map<string, File[]> {
  const folders = new Map<string, File[]>();
  for (const folder of FOLDERS) {
    for (const file of filesBelow(folder).filter(isData)) {
      const name = file.name.includes("/") ? dirname(file.name) : basename(folder);
      folders.set(name, [...(folders.get(name) ?? []), file]);
    }
  }
  // A chain with its genesis, and requests about it, are no case.
  const isChain = (files: File[]) =>
    files.some(({ path }) => existsSync(join(dirname(path), "genesis.json")));
  return new Map([...folders].filter(([, files]) => !isChain(files)).sort());
}

const parse = ({ path }: File): unknown => JSON.parse(readFileSync(path, "utf8"));

function readCase(name: string, files: File[]): Case {
  const test = files.find(({ path }) => basename(path) === "test.json");
  const { method, params, expected_result, chain_id } = (test ? parse(test) : {}) as {
    method?: string;
    params?: unknown[];
    expected_result?: unknown;
    chain_id?: number | string;
  };
  const chainId = Number(chain_id ?? 1);
  const network = networkOf(chainId);
  const found: Case = {
    name,
    network,
    chainId,
    asked:
      method === undefined
        ? undefined
        : { method, params: params ?? [], expected: expected_result },
    pairs: [],
    blocks: [],
    replies: [],
    lightClient: { bootstraps: [], updates: [], checkpoints: [] },
    unread: [],
  };
  const blocks = new Map<string, BeaconBlock>();
  for (const file of files.filter((file) => file !== test)) {
    try {
      readFile(found, blocks, file);
    } catch (error) {
      found.unread.push(
        `${basename(file.name)}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  found.blocks = [...blocks.values()].sort((one, other) => other.message.slot - one.message.slot);
  found.pairs = found.blocks.flatMap((child) => {
    const parent = blocks.get(hex(child.message.parentRoot));
    return parent ? [{ parent, child }] : [];
  });
  return found;
}

function readFile(found: Case, blocks: Map<string, BeaconBlock>, file: File): void {
  const { network, lightClient, replies } = found;
  const add = (block: BeaconBlock) => blocks.set(hex(block.root), block);
  if (file.name.endsWith(".json")) {
    const json = parse(file) as Json;
    if (json["result"] !== undefined) replies.push(json["result"]);
    if (!network) return;
    const data = json["data"] as Json | undefined;
    if (data && "message" in data) {
      add(decodeJson(data, network));
      return;
    }
    addJson(lightClient, network, json);
    return;
  }
  const bytes = new Uint8Array(readFileSync(file.path));
  if (!network) return;
  if (isBlock(bytes)) add(decode(bytes, network));
  else if (!addSsz(lightClient, network, bytes))
    throw new Error("neither a block nor light-client data");
}

let cases: Case[] | undefined;

/** All cases, and folders with recorded data but no question. */
export function readCases(): Case[] {
  cases ??= [...readFolders()].map(([name, files]) => readCase(name, files));
  return cases;
}

/** The light-client data that serve a case: its own, then those of other cases of its network, then the repository's. */
export function lightClientOf({ name, network }: Case): LightClientData[] {
  const all = readCases().filter((other) => other.network === network);
  const own = all.filter((other) => other.name === name);
  const others = all.filter((other) => other.name !== name);
  return [own, others, network?.name === "mainnet" ? [repository()] : []].map((cases) =>
    merged(cases.map(({ lightClient }) => lightClient)),
  );
}

let kept: Case | undefined;

const repository = (): Case => {
  kept ??= readCase(
    "the repository's",
    readdirSync(LIGHT_CLIENT).map((name) => ({ name, path: join(LIGHT_CLIENT, name) })),
  );
  return kept;
};

const merged = (all: LightClientData[]): LightClientData => ({
  bootstraps: all.flatMap(({ bootstraps }) => bootstraps),
  updates: all.flatMap(({ updates }) => updates),
  checkpoints: all.flatMap(({ checkpoints }) => checkpoints),
});
