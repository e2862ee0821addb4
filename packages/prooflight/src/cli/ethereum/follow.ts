/** Follows Ethereum for one command: its options, the client, and the head that the answer rests on. */

import { readFile, rename, writeFile } from "node:fs/promises";

import type { Hex } from "../../bytes.js";
import { describe, refuse } from "../../error.js";
import {
  type BlockHeader,
  type BlockName,
  EthereumClient,
  type EthereumOptions,
  type Head,
  type NetworkName,
} from "../../ethereum.js";
import { withOrigins } from "../../url.js";
import { milliseconds, needed, serverText } from "../chain.js";
import { printFailure } from "../output.js";

/** The options of every command about Ethereum, as they were given. */
export interface FollowOptions {
  network?: string | undefined;
  checkpoint?: string | undefined;
  state?: string | undefined;
  beacon?: string[] | undefined;
  execution?: string[] | undefined;
  timeout?: string | undefined;
  "max-head-age"?: string | undefined;
  "max-checkpoint-age"?: string | undefined;
}

/** A client that has accepted the newest head. */
export interface Following {
  client: EthereumClient;
  network: string;
  /** The signed beacon block, and its verified execution block. */
  head: Head & { block: BlockHeader };
  /** The greatest age of the checkpoint in days, if an older one than the safe one was allowed. */
  oldCheckpoint: number | undefined;
}

/** The age up to which the stake behind a checkpoint is locked, in days. */
const SAFE_DAYS = 14;
const DAY = 24 * 3600 * 1000;

/** Connects to the servers, and keeps the state in its file. Prints each failure of a server. */
export async function follow(
  options: FollowOptions,
  more: Pick<EthereumOptions, "logs" | "maxLogBytes" | "onLogsProgress"> = {},
): Promise<Following> {
  const client = await EthereumClient.connect({
    ...(await connectionOf(options)),
    ...more,
    onFailure({ url, error }) {
      printFailure(serverText(url), error);
    },
  });
  const { network = "mainnet", state: file } = options;
  if (file !== undefined) await saveState(file, client.export());
  const block = await client.block("latest");
  const days = daysOf(options["max-checkpoint-age"]);
  return {
    client,
    network,
    head: { ...client.latest, block },
    oldCheckpoint: days !== undefined && days > SAFE_DAYS ? days : undefined,
  };
}

/** The options of a client or a provider, with the state in its file if there is one. */
export async function connectionOf(
  options: FollowOptions,
): Promise<Omit<EthereumOptions, "signal">> {
  const { network = "mainnet", checkpoint, state: file, beacon = [], execution = [] } = options;
  if (beacon.length === 0) throw needed("--beacon URL, once for each beacon node");
  if (execution.length === 0) throw needed("--execution URL, once for each execution node");
  const state = file === undefined ? undefined : await readIfThere(file);
  if (!state && checkpoint === undefined) {
    throw needed("--checkpoint ROOT, of a finalized beacon block, from a source that you trust");
  }
  const days = daysOf(options["max-checkpoint-age"]);
  return {
    // The client refuses other names and forms.
    network: network as NetworkName,
    ...(state ? { state } : { checkpoint: checkpoint as Hex }),
    beacon,
    execution,
    timeout: milliseconds(options.timeout, "--timeout"),
    maxHeadAge: milliseconds(options["max-head-age"], "--max-head-age"),
    maxCheckpointAge: days === undefined ? undefined : days * DAY,
  };
}

/** The block that an option or argument names. */
export function blockOf(given: string | undefined, name: string): BlockName {
  if (given === undefined) return "latest";
  if (given === "latest" || given === "safe" || given === "finalized") return given;
  if (/^0x[0-9a-f]{64}$/i.test(given)) return given as Hex;
  if (/^([0-9]{1,19}|0x[0-9a-f]{1,16})$/i.test(given)) return BigInt(given);
  const expected = `${name} latest, finalized, a number or a hash`;
  throw refuse("invalid_argument", expected, describe(given));
}

function daysOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[0-9]{1,6}$/.test(given)) return Number(given);
  throw refuse("invalid_argument", "--max-checkpoint-age in days", describe(given));
}

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (cause) {
    if ((cause as { code?: unknown }).code === "ENOENT") return undefined;
    throw unusable("read", cause);
  }
}

/** Writes a state into its file, which only its owner can read: all of it or nothing. */
export async function saveState(file: string, content: Uint8Array): Promise<void> {
  const next = `${file}.${process.pid}.new`;
  try {
    await writeFile(next, content, { mode: 0o600 });
    await rename(next, file);
  } catch (cause) {
    throw unusable("written", cause);
  }
}

function unusable(what: string, cause: unknown) {
  const found = withOrigins(cause instanceof Error ? cause.message : String(cause));
  return refuse("invalid_argument", `--state FILE that can be ${what}`, found, { cause });
}
