/** The files of the execution-apis tests: a chain, its genesis, and recorded requests with a node's answers. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { NetworkProviderOptions } from "../../src/provider.js";

type Hex = `0x${string}`;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const given = process.env["PROOFLIGHT_EXECUTION_APIS"];
const FOLDERS =
  given === undefined
    ? [here("data/execution_apis"), here("../../../../crates/ethereum/tests/data/execution_apis")]
    : [given];

/** The path of a file. */
export function pathOf(name: string): string {
  const path = FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (path === undefined) throw new Error(`no ${name} in ${FOLDERS.join(" or ")}`);
  return path;
}

/** A recorded request, with a node's answer. */
export interface Exchange {
  name: string;
  method: string;
  params: unknown[];
  /** The member `result` or `error` of the answer. */
  answer: { result?: unknown; error?: { code: number; message: string } };
}

/** All exchanges of all `.io` files. */
export function readExchanges(): Exchange[] {
  return FOLDERS.flatMap((folder) =>
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((path) => path.endsWith(".io"))
      .sort()
      .flatMap((path) => exchangesOf(path, readFileSync(join(folder, path), "utf8"))),
  );
}

function exchangesOf(path: string, text: string): Exchange[] {
  const lines = text.split("\n").filter((line) => /^(>>|<<)/.test(line));
  return lines.flatMap((line, at) => {
    const next = lines[at + 1];
    if (!line.startsWith(">>") || !next?.startsWith("<<")) return [];
    const { method, params = [] } = JSON.parse(line.slice(2)) as Partial<Exchange>;
    if (method === undefined) return [];
    const name = `${path.replaceAll("\\", "/")}${at > 0 ? ` ${at}` : ""}`;
    return [{ name, method, params, answer: JSON.parse(next.slice(2)) as Exchange["answer"] }];
  });
}

/** Methods whose recorded answers the provider does not give, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  eth_call: "execution",
  eth_estimateGas: "execution",
  eth_createAccessList: "execution",
  eth_simulateV1: "execution",
  eth_config: "about the server",
  eth_capabilities: "about the server",
  eth_getBlockAccessList: "a fork to come",
  testing_buildBlockV1: "not about the chain",
};

/** Whether the provider refuses a method, as its documentation says. */
export const isRefused = ({ method }: Exchange): boolean =>
  Object.hasOwn(REFUSED, method) || /^(debug|trace|engine|txpool|web3)_/.test(method);

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

export const readGenesis = (): Genesis =>
  JSON.parse(readFileSync(pathOf("genesis.json"), "utf8")) as Genesis;

/** The options that a provider of the chain needs: what its user knows about it. */
export function chainOptions() {
  const genesis = readGenesis();
  const head = JSON.parse(readFileSync(pathOf("headfcu.json"), "utf8")) as {
    params: [{ headBlockHash: Hex }];
  };
  return {
    chainId: BigInt(genesis.config.chainId),
    heads: { latest: head.params[0].headBlockHash },
    blobs: blobsOf(genesis),
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
