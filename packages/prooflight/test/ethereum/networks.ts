/** The networks of recorded cases. */

import type { NetworkName } from "../../src/ethereum.js";

/** The forks with execution payloads, the newest first; those to come are not recorded yet. */
export const FORKS = ["fulu", "electra", "deneb", "capella", "bellatrix", "altair"] as const;

export type Fork = (typeof FORKS)[number];

/** What a recorded case depends on. */
export interface Network {
  name: NetworkName;
  /** The time of slot 0, in seconds since 1970. */
  genesis: number;
  /** The fork of a slot; the last fork that we know, if the slot is later. */
  forkOf: (slot: number) => Fork | "phase0";
}

const SLOTS_PER_EPOCH = 32;

/** The epochs are those of the forks in the order of `FORKS`. */
function network(name: NetworkName, genesis: number, epochs: readonly number[]): Network {
  const forkOf = (slot: number) => {
    const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
    return FORKS.find((_, at) => epoch >= (epochs[at] ?? Infinity)) ?? "phase0";
  };
  return { name, genesis, forkOf };
}

/** By the ids of their chains. */
const NETWORKS = new Map([
  [1, network("mainnet", 1_606_824_023, [411_392, 364_032, 269_568, 194_048, 144_896, 74_240])],
  [11_155_111, network("sepolia", 1_655_733_600, [272_640, 222_464, 132_608, 56_832, 100, 50])],
  [560_048, network("hoodi", 1_742_213_400, [50_688, 2048, 0, 0, 0, 0])],
]);

/** The network of a chain; undefined if its beacon chain is none of ours. */
export const networkOf = (chainId: number): Network | undefined => NETWORKS.get(chainId);
