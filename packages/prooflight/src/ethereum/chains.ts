/** The execution chains of the networks: their ids, and the parameters of blobs, which change with hard forks. */

import type { NetworkName } from "./network.js";

/** The parameters of blobs from a time on. */
export interface BlobParams {
  /** The first second since 1970. */
  timestamp: bigint;
  /** The blobs of a block at which their price stays. */
  target: bigint;
  /** The most blobs of a block. */
  max: bigint;
  /** `baseFeeUpdateFraction`. */
  updateFraction: bigint;
  /** Whether the price of gas bounds that of blobs from below, as since Osaka (EIP-7918). */
  hasReserve: boolean;
}

/**
 * The parameters since each fork; `bpo1` and `bpo2` change nothing but them.
 *
 * Source: EIP-4844, 7691, 7892, and the configurations of the networks.
 */
const schedule = (cancun: bigint, prague: bigint, osaka: bigint, bpo1: bigint, bpo2: bigint) => [
  params(cancun, 3n, 6n, 3_338_477n, false),
  params(prague, 6n, 9n, 5_007_716n, false),
  params(osaka, 6n, 9n, 5_007_716n, true),
  params(bpo1, 10n, 15n, 8_346_193n, true),
  params(bpo2, 14n, 21n, 11_684_671n, true),
];

const params = (
  timestamp: bigint,
  target: bigint,
  max: bigint,
  updateFraction: bigint,
  hasReserve: boolean,
): BlobParams => ({ timestamp, target, max, updateFraction, hasReserve });

/** The parameters of the networks' execution chains. */
export const CHAINS: Readonly<
  Record<NetworkName, { chainId: bigint; blobs: readonly BlobParams[] }>
> = {
  mainnet: {
    chainId: 1n,
    blobs: schedule(1_710_338_135n, 1_746_612_311n, 1_764_798_551n, 1_765_290_071n, 1_767_747_671n),
  },
  sepolia: {
    chainId: 11_155_111n,
    blobs: schedule(1_706_655_072n, 1_741_159_776n, 1_760_427_360n, 1_761_017_184n, 1_761_607_008n),
  },
  hoodi: {
    chainId: 560_048n,
    blobs: schedule(0n, 1_742_999_832n, 1_761_677_592n, 1_762_365_720n, 1_762_955_544n),
  },
};

/** The parameters at a time; undefined if the schedule has none. */
export const blobsAt = (
  schedule: readonly BlobParams[],
  timestamp: bigint,
): BlobParams | undefined => schedule.filter((params) => params.timestamp <= timestamp).at(-1);
