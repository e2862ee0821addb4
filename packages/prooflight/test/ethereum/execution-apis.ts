/** The files of the execution-apis tests: a chain, its genesis, and recorded requests with a node's answers. */

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import type { NetworkProviderOptions } from "../../src/provider.js";
import { filesBelow, givenFolder, here } from "./folders.js";
import { OFFERED } from "./methods.js";

type Hex = `0x${string}`;

/** The repository's copies. Tests that name blocks, accounts or transactions are about this chain. */
const OWN = [
  here("data/execution_apis"),
  here("../../../../crates/ethereum/tests/data/execution_apis"),
];

const given = givenFolder("PROOFLIGHT_EXECUTION_APIS");
/** Whether the requests are those of the repository. */
export const IS_OWN = given === undefined;
/** The folder that the environment names; of a file that it lacks, the repository's copy. */
export const GIVEN: readonly string[] = given === undefined ? OWN : [given, ...OWN];

/** The path of a file in the first folder that has it. */
export function pathOf(name: string, folders: readonly string[] = OWN): string {
  for (const folder of folders) {
    if (existsSync(join(folder, name))) return join(folder, name);
    const below = filesBelow(folder).find(({ path }) => basename(path) === name);
    if (below) return below.path;
  }
  throw new Error(`no ${name} in ${folders.join(" or ")}`);
}

/** A recorded request, with a node's answer. */
export interface Exchange {
  name: string;
  method: string;
  params: unknown[];
  /** The member `result` or `error` of the answer. */
  answer: { result?: unknown; error?: { code: number; message: string } };
  /** Whether the file says that nodes need only give an answer of this form. */
  formOnly: boolean;
}

/** All exchanges of all `.io` files of the repository. */
export const readExchanges = (folders: readonly string[] = OWN): Exchange[] =>
  folders.flatMap((folder) =>
    filesBelow(folder)
      .filter(({ name }) => name.endsWith(".io"))
      .flatMap(({ name, path }) => exchangesOf(name, readFileSync(path, "utf8"))),
  );

/** The exchanges of the folder that the environment names, else the repository's. */
export const readGivenExchanges = (): Exchange[] =>
  readExchanges(given === undefined ? OWN : [given]);

function exchangesOf(path: string, text: string): Exchange[] {
  const formOnly = /^\/\/\s*speconly/m.test(text);
  const lines = text.split("\n").filter((line) => /^(>>|<<)/.test(line));
  return lines.flatMap((line, at) => {
    const next = lines[at + 1];
    if (!line.startsWith(">>") || !next?.startsWith("<<")) return [];
    const { method, params = [] } = JSON.parse(line.slice(2)) as Partial<Exchange>;
    if (method === undefined) return [];
    const name = `${path}${at > 0 ? ` ${at}` : ""}`;
    return [
      { name, method, params, answer: JSON.parse(next.slice(2)) as Exchange["answer"], formOnly },
    ];
  });
}

/** Whether the provider has no method of this name, so that the request is refused as the documentation says. */
export const isRefused = ({ method }: Exchange): boolean => !OFFERED.has(method);

/** The file `genesis.json`. */
export interface Genesis {
  alloc: Record<string, unknown>;
  config: { chainId: number; blobSchedule?: Record<string, BlobConfig>; [fork: string]: unknown };
}

interface BlobConfig {
  target: number;
  max: number;
  baseFeeUpdateFraction: number;
}

export const readGenesis = (folders?: readonly string[]): Genesis =>
  JSON.parse(readFileSync(pathOf("genesis.json", folders), "utf8")) as Genesis;

/** The options that a provider of the chain needs: what its user knows about it. */
export function chainOptions(folders?: readonly string[]) {
  const genesis = readGenesis(folders);
  const head = JSON.parse(readFileSync(pathOf("headfcu.json", folders), "utf8")) as {
    params: [{ headBlockHash: Hex }];
  };
  return {
    chainId: BigInt(genesis.config.chainId),
    heads: { latest: head.params[0].headBlockHash },
    blobs: blobsOf(genesis),
    fork: "osaka" as const,
  } satisfies Partial<NetworkProviderOptions>;
}

/** The parameters of blobs, from the times of forks. */
function blobsOf({ config }: Genesis) {
  const since = Number(config["osakaTime"] ?? Infinity);
  return Object.entries(config.blobSchedule ?? {})
    .map(([fork, { target, max, baseFeeUpdateFraction }]) => ({
      timestamp: BigInt(config[`${fork}Time`] as number),
      target: BigInt(target),
      max: BigInt(max),
      updateFraction: BigInt(baseFeeUpdateFraction),
      hasReserve: Number(config[`${fork}Time`]) >= since,
    }))
    .sort((one, other) => Number(one.timestamp - other.timestamp));
}
