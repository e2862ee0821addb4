/** The networks: built-in ones, and others by the caller's parameters. */

import { Arguments, invalid } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { describe } from "../error.js";
import { type BytesLike, bytesLike } from "../mpt/bytes.js";
import { Writer } from "../wire.js";
import { ForkSchedule } from "./forks.js";

/** A network with built-in parameters. */
export type NetworkName = "mainnet" | "sepolia" | "hoodi";

/** The forks of the beacon chain that light clients depend on, in order. */
export type Fork = "altair" | "bellatrix" | "capella" | "deneb" | "electra" | "fulu" | "gloas";

/** The start of a fork. */
export interface ForkStart {
  /** The first epoch. */
  epoch: bigint;
  /** The fork's version, 4 bytes. */
  version: BytesLike;
}

/** The parameters of another network, as in its `config.yaml`. */
export interface NetworkConfig {
  /** The root of the validators at genesis, 32 bytes. */
  genesisValidatorsRoot: BytesLike;
  /** The time of slot 0, in seconds since 1970. */
  genesisTime: bigint;
  /** `GENESIS_FORK_VERSION`, 4 bytes. */
  genesisForkVersion: BytesLike;
  /** The forks; one that is not scheduled is left out. */
  forks: Partial<Record<Fork, ForkStart>>;
  /** `BLOB_SCHEDULE`, ascending, with the parameters of Electra first. Default empty. */
  blobSchedule?: readonly { epoch: bigint; maxBlobs: bigint }[] | undefined;
  /** Seconds of a slot. Default 12. */
  secondsPerSlot?: bigint | undefined;
  /** `SLOTS_PER_EPOCH`. Default 32. */
  slotsPerEpoch?: bigint | undefined;
  /** `EPOCHS_PER_SYNC_COMMITTEE_PERIOD`. Default 256. */
  epochsPerPeriod?: bigint | undefined;
  /** `SYNC_COMMITTEE_SIZE`. Default 512. */
  committeeSize?: number | undefined;
}

/** In the order of their numbers in `bindings/wasm/src/beacon/message.rs`. */
const NETWORK_NAMES: readonly NetworkName[] = ["mainnet", "sepolia", "hoodi"];

const FORKS: readonly Fork[] = [
  "altair",
  "bellatrix",
  "capella",
  "deneb",
  "electra",
  "fulu",
  "gloas",
];

/** The newest fork that the binary knows the start of, in each built-in network. */
const NEWEST_FORK: Readonly<Record<NetworkName, Fork>> = {
  mainnet: "fulu",
  sepolia: "gloas",
  hoodi: "fulu",
};

/** The epoch of a fork that is not scheduled. */
const NO_EPOCH = (1n << 64n) - 1n;

/** The start of a fork by the clock. */
export interface TimedFork {
  fork: Fork;
  /** Its first second since 1970. */
  timestamp: bigint;
  /** Its version, 4 bytes. */
  version: Uint8Array;
}

/** A network. */
export interface Network {
  /** Its name or parameters, for the binary. */
  encoded: Bytes;
  schedule: ForkSchedule;
  secondsPerSlot: bigint;
  /** Its name, or the starts of its forks. */
  forks: NetworkName | readonly TimedFork[];
}

/** Reads a network; throws `invalid_argument` for another form. The binary checks the values. */
export function readNetwork(given: unknown): Network {
  const writer = new Writer();
  if (typeof given !== "object" || given === null) {
    const number = NETWORK_NAMES.indexOf(given as NetworkName);
    if (number < 0) {
      throw invalid(
        undefined,
        "network",
        `${NETWORK_NAMES.join(", ")} or parameters`,
        describe(given),
      );
    }
    writer.u8(number);
    const newest = FORKS.indexOf(NEWEST_FORK[given as NetworkName]);
    const schedule = new ForkSchedule(FORKS.slice(0, newest + 1));
    const forks = given as NetworkName;
    return { encoded: writer.finish(), schedule, secondsPerSlot: 12n, forks };
  }
  const config = new Arguments(
    undefined,
    given,
    [
      "genesisValidatorsRoot",
      "genesisTime",
      "genesisForkVersion",
      "forks",
      "blobSchedule",
      "secondsPerSlot",
      "slotsPerEpoch",
      "epochsPerPeriod",
      "committeeSize",
    ],
    "network",
  );
  const bytes = (name: "genesisValidatorsRoot" | "genesisForkVersion", length: number) =>
    bytesLike(config.unchecked(name), `network.${name}`, length);
  writer.u8(NETWORK_NAMES.length);
  writer.array(bytes("genesisValidatorsRoot", 32));
  const genesisTime = config.u64("genesisTime");
  writer.u64(genesisTime);
  const secondsPerSlot = config.optionalU64("secondsPerSlot") ?? 12n;
  writer.u64(secondsPerSlot);
  writer.array(bytes("genesisForkVersion", 4));
  const forks = config.optionalObject("forks", FORKS);
  const starts = FORKS.map((fork) => {
    const start = readFork(forks.unchecked(fork), `network.forks.${fork}`);
    writer.u64(start?.epoch ?? NO_EPOCH);
    writer.array(start?.version ?? new Uint8Array(4));
    return { fork, start };
  });
  const blobs = config.unchecked("blobSchedule") === undefined ? [] : config.list("blobSchedule");
  writer.sequence(blobs, (entry) => {
    const path = "an entry of network.blobSchedule";
    const members = new Arguments(undefined, entry, ["epoch", "maxBlobs"], path);
    writer.u64(members.u64("epoch"));
    writer.u64(members.u64("maxBlobs"));
  });
  const slotsPerEpoch = config.optionalU64("slotsPerEpoch") ?? 32n;
  writer.u64(slotsPerEpoch);
  writer.u64(config.optionalU64("epochsPerPeriod") ?? 256n);
  writer.u32(config.optionalU32("committeeSize") ?? 512);
  const schedule = new ForkSchedule(FORKS.filter((fork) => forks.unchecked(fork) !== undefined));
  const secondsPerEpoch = slotsPerEpoch * secondsPerSlot;
  const timed = starts.flatMap(({ fork, start }) => {
    const timestamp = genesisTime + (start?.epoch ?? NO_EPOCH) * secondsPerEpoch;
    return start && timestamp < NO_EPOCH ? [{ fork, timestamp, version: start.version }] : [];
  });
  return { encoded: writer.finish(), schedule, secondsPerSlot, forks: timed };
}

function readFork(
  given: unknown,
  path: string,
): { epoch: bigint; version: Uint8Array } | undefined {
  if (given === undefined) return undefined;
  const fork = new Arguments(undefined, given, ["epoch", "version"], path);
  const version = bytesLike(fork.unchecked("version"), `${path}.version`, 4).slice();
  return { epoch: fork.u64("epoch"), version };
}
