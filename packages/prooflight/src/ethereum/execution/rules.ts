/** By which rules blocks are executed: the network's forks, and how it is known that there is no later one. */

import type { Bytes } from "../../bytes.js";
import { Writer } from "../../wire.js";
import type { BlobParams } from "../chains.js";
import type { Fork, NetworkName, TimedFork } from "../network.js";

/** A fork of the execution chain since the merge. */
export type ExecutionFork = "paris" | "shanghai" | "cancun" | "prague" | "osaka";

/** In the order of their numbers in `bindings/wasm/src/evm/message.rs`. */
export const EXECUTION_FORKS: readonly ExecutionFork[] = [
  "paris",
  "shanghai",
  "cancun",
  "prague",
  "osaka",
];

/** The fork of the execution chain that starts with one of the beacon chain. */
const STARTS_WITH: Readonly<Partial<Record<Fork, ExecutionFork>>> = {
  bellatrix: "paris",
  capella: "shanghai",
  deneb: "cancun",
  electra: "prague",
  fulu: "osaka",
};

/** In the order of their numbers in `bindings/wasm/src/evm/message.rs`. */
const NETWORK_NAMES: readonly NetworkName[] = ["mainnet", "sepolia", "hoodi"];

/** The rules of a chain. */
export interface ExecutionRules {
  /** The network, for the binary. */
  network: Bytes;
  /** The fork that the caller says blocks are of. */
  fork: ExecutionFork | undefined;
}

/** The rules of a built-in network. */
export function knownRules(name: NetworkName, fork?: ExecutionFork): ExecutionRules {
  return { network: Uint8Array.of(NETWORK_NAMES.indexOf(name)), fork };
}

/** The rules of another network, by the forks of its beacon chain. */
export function rulesOfForks(
  chainId: bigint,
  forks: readonly TimedFork[],
  blobs: readonly BlobParams[],
): ExecutionRules {
  const starts = forks.flatMap(({ fork, timestamp, version }) => {
    const started = STARTS_WITH[fork];
    return started ? [{ fork: started, timestamp, version }] : [];
  });
  const end = forks.find(({ fork }) => fork === "gloas")?.timestamp;
  return { network: writeNetwork(chainId, starts, blobs, end), fork: undefined };
}

/** The rules of a chain whose blocks are all of one fork, as the caller says. */
export function rulesOfFork(
  chainId: bigint,
  fork: ExecutionFork,
  blobs: readonly BlobParams[],
): ExecutionRules {
  const start = { fork, timestamp: 0n, version: new Uint8Array(4) };
  return { network: writeNetwork(chainId, [start], blobs, undefined), fork };
}

function writeNetwork(
  chainId: bigint,
  forks: readonly { fork: ExecutionFork; timestamp: bigint; version: Uint8Array }[],
  blobs: readonly BlobParams[],
  end: bigint | undefined,
): Bytes {
  const writer = new Writer();
  writer.u8(NETWORK_NAMES.length);
  writer.u64(chainId);
  writer.sequence(forks, ({ timestamp, fork, version }) => {
    writer.u64(timestamp);
    writer.u8(EXECUTION_FORKS.indexOf(fork));
    writer.array(version);
  });
  writer.sequence(blobs, ({ timestamp, target, max, updateFraction, hasReserve }) => {
    for (const value of [timestamp, target, max, updateFraction]) writer.u64(value);
    writer.bool(hasReserve);
  });
  writer.optionalU64(end);
  return writer.finish();
}

/** Writes the rules, and the evidence for a block's fork: the beacon fork version of its slot, if heads show it. */
export function writeRules(
  writer: Writer,
  { network, fork }: ExecutionRules,
  beaconVersion: Bytes | undefined,
): void {
  writer.array(network);
  if (beaconVersion) {
    writer.u8(0);
    writer.array(beaconVersion);
  } else if (fork) {
    writer.u8(1);
    writer.u8(EXECUTION_FORKS.indexOf(fork));
  } else {
    writer.u8(2);
  }
}
