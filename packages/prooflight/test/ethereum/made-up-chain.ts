/** A made-up beacon chain with a small committee, whose secrets the testkit has; and servers of it. */

import { readFileSync } from "node:fs";

import { PresetName, setActivePreset } from "@lodestar/params/setPreset";

import type { EthereumOptions, NetworkConfig } from "../../src/ethereum.js";

type Hex = `0x${string}`;

// The sizes of the chain. They must be set before the types are loaded.
setActivePreset(PresetName.minimal);
const { ssz } = await import("@lodestar/types");

const path = new URL("data/made-up-beacon-chain.json", import.meta.url);
const entries = JSON.parse(readFileSync(path, "utf8")) as Record<string, Hex | undefined>;

/** An entry of the file; its names are in `crates/beacon/tests/dump.rs`. */
export function entry(name: string): Hex {
  const found = entries[name];
  if (!found) throw new Error(`no entry ${name}`);
  return found;
}

/** The bytes of an entry. */
export const bytes = (name: string) => new Uint8Array(Buffer.from(entry(name).slice(2), "hex"));

/** Slots of a period. Each fork begins with a period: Altair at slot 0, Electra at 256, Gloas at 384. */
export const PERIOD = 64;

const FORKS = ["altair", "bellatrix", "capella", "deneb", "electra", "fulu", "gloas"] as const;
const [GENESIS, SECONDS_PER_SLOT, EPOCHS_PER_PERIOD] = [1000n, 6n, 8n];

/** The chain's parameters; `forks` is the number of those that are scheduled. */
export const networkOf = (forks: number = FORKS.length): NetworkConfig => ({
  genesisValidatorsRoot: entry("genesisValidatorsRoot"),
  genesisTime: GENESIS,
  genesisForkVersion: entry("genesisForkVersion"),
  forks: Object.fromEntries(
    FORKS.slice(0, forks).map((fork, period) => [
      fork,
      { epoch: BigInt(period) * EPOCHS_PER_PERIOD, version: entry(`${fork}.version`) },
    ]),
  ),
  secondsPerSlot: SECONDS_PER_SLOT,
  slotsPerEpoch: 8n,
  epochsPerPeriod: EPOCHS_PER_PERIOD,
  committeeSize: 32,
});

/** The time of a slot, in milliseconds. */
export const timeOf = (slot: number): bigint => (GENESIS + SECONDS_PER_SLOT * BigInt(slot)) * 1000n;

/** A fork whose messages the file has. */
export type Recorded = "electra" | "gloas";

/** The messages of a server, by the last part of their path. */
export type Messages = Readonly<Record<string, { type: MessageType; name: string }>>;

type MessageType = keyof typeof TYPES;

const TYPES = {
  bootstrap: "LightClientBootstrap",
  update: "LightClientUpdate",
  finality: "LightClientFinalityUpdate",
  optimistic: "LightClientOptimisticUpdate",
} as const;

/** The honest messages about a fork's period. */
export const honest = (fork: Recorded): Messages => ({
  bootstrap: { type: "bootstrap", name: `${fork}.bootstrap` },
  updates: { type: "update", name: `${fork}.update` },
  finality_update: { type: "finality", name: `${fork}.finality` },
  optimistic_update: { type: "optimistic", name: `${fork}.optimistic` },
});

/** How a server writes: in which encoding, and which fork it names. */
export interface Style {
  json?: boolean;
  version?: string;
}

/** A beacon server as a `fetch`; `messages` may change between requests. */
export const serverOf =
  (
    fork: Recorded,
    messages: () => Messages,
    { json = false, version = fork }: Style = {},
  ): typeof fetch =>
  (input) => {
    const { pathname } = input as URL;
    const [, part = ""] = /light_client\/(\w+)/.exec(pathname) ?? [];
    const message = messages()[part];
    if (!message) return Promise.resolve(new Response(null, { status: 404 }));
    const { type, name } = message;
    const headers = { "eth-consensus-version": version };
    if (json) {
      const reply = { version, data: dataOf(fork, type, name) };
      return Promise.resolve(Response.json(part === "updates" ? [reply] : reply, { headers }));
    }
    const body = part === "updates" ? chunk(bytes(`${fork}.digest`), bytes(name)) : bytes(name);
    const octets = { ...headers, "content-type": "application/octet-stream" };
    return Promise.resolve(new Response(body, { headers: octets }));
  };

/** A message in the Beacon API's JSON. */
export function dataOf(fork: Recorded | "fulu", type: MessageType, name: string): unknown {
  const container = ssz[fork][TYPES[type]] as {
    toJson: (value: unknown) => unknown;
    deserialize: (bytes: Uint8Array) => unknown;
  };
  return container.toJson(container.deserialize(bytes(name)));
}

/** An update in an SSZ answer. */
export function chunk(digest: Uint8Array, update: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(4 + update.length), true);
  return Uint8Array.of(...length, ...digest, ...update);
}

/** Options of a client that starts in a fork's period, at its end. */
export const optionsOf = (
  fork: Recorded,
): Omit<EthereumOptions, "fetch"> & { network: NetworkConfig } => ({
  network: networkOf(),
  checkpoint: entry(`${fork}.root`),
  beacon: ["http://beacon.test"],
  execution: ["http://execution.test"],
  now: () => timeOf(fork === "electra" ? 256 + 50 : 384 + 50),
});
