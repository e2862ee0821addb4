/** The options of a provider that follows Ethereum itself. */

import { Arguments, invalid, milliseconds, optionalFunction } from "../../arguments.js";
import { describe, refuse } from "../../error.js";
import { type BlobParams, CHAINS } from "../../ethereum/chains.js";
import {
  EXECUTION_FORKS,
  type ExecutionFork,
  knownRules,
  rulesOfFork,
} from "../../ethereum/execution/rules.js";
import type { Beacon } from "../../ethereum/beacon.js";
import { beaconOf, Follower } from "../../ethereum/follower.js";
import type { NetworkName } from "../../ethereum/network.js";
import {
  BEACON_OPTIONS,
  COMMON_OPTIONS,
  type EthereumOptions,
  type LogsSettings,
  readBlobs,
  readChainId,
  readCommon,
  readSettings,
} from "../../ethereum/options.js";
import { PinnedSource, type Pins } from "../../ethereum/pinned.js";
import type { Forwarding } from "../forward.js";
import { FORWARDABLE, kindOf } from "../forwardable.js";
import type { Eip1193Events, Eip1193Provider, RequestArguments } from "../request.js";
import { WalletServer } from "../server.js";

/**
 * Options of `createProvider` for a provider that follows Ethereum itself: those of `EthereumClient.connect`, and more.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/ethereum-provider.md | A provider for Ethereum}
 */
export interface NetworkProviderOptions extends Partial<Omit<EthereumOptions, "signal">> {
  execution: EthereumOptions["execution"];
  /**
   * The hashes of the newest blocks, instead of `checkpoint` and `beacon`: for development nodes without a beacon
   * chain. They are trusted.
   */
  heads?: Pins | undefined;
  /**
   * The fork by whose rules calls are executed, beside `heads`. Default: by the network's schedule, up to its newest
   * fork; without a network, calls are refused.
   */
  fork?: ExecutionFork | undefined;
  /** The user's wallet, which is asked for accounts and signatures. Default: there are no accounts. */
  wallet?: (Eip1193Provider & Partial<Eip1193Events>) | undefined;
  /**
   * Called, and awaited, before an answer that no proof covers. The request is refused if the function returns `false`
   * or throws. Such answers are `null` for a hash that no server knows, that a transaction is pending, and the logs of
   * a range with `logs: "union"`.
   */
  onUnproven?: ((request: RequestArguments) => unknown) | undefined;
  /** The interval of polling for subscriptions, in milliseconds, at least 50. Default 4000. */
  pollInterval?: number | undefined;
}

/** The options after they were checked. */
export interface NetworkSettings extends LogsSettings {
  follower: Follower;
  /** The beacon chain that is followed; undefined beside `heads`. */
  beacon: Beacon | undefined;
  chainId: bigint;
  blobs: readonly BlobParams[];
  now: () => bigint;
  /** Seconds of a slot; undefined if the heads are not those of a beacon chain. */
  secondsPerSlot: bigint | undefined;
  wallet:
    { provider: Eip1193Provider & Partial<Eip1193Events>; forwarding: Forwarding } | undefined;
  onUnproven: ((request: RequestArguments) => unknown) | undefined;
  pollInterval: number;
}

/** The names of the options. There is no `signal`, since a provider asks no server before its first request. */
export const NETWORK_OPTIONS = [
  ...(["heads", "fork", "wallet", "onUnproven", "pollInterval"] as const),
  ...COMMON_OPTIONS.filter((name) => name !== "signal"),
  ...BEACON_OPTIONS,
] as const;

/** The options, to be read like those of a client; `signal` is then undefined. */
type NetworkArguments = Arguments<(typeof NETWORK_OPTIONS)[number] | "signal">;

/** Checks the options; throws `invalid_argument`. */
export function readNetworkOptions(options: NetworkProviderOptions): NetworkSettings {
  const given: NetworkArguments = new Arguments(undefined, options, NETWORK_OPTIONS);
  const network = given.unchecked("network");
  const known = isBuiltIn(network) ? network : undefined;
  // Without its name, the network's id would be asked for.
  if (typeof network === "string" && !known) throw wrongNetwork(" or parameters", network);
  const isGiven = (name: (typeof NETWORK_OPTIONS)[number]) => given.unchecked(name) !== undefined;
  if (!(["heads", "checkpoint", "state"] as const).some(isGiven)) {
    const chain = isGiven("network") || isGiven("chainId") ? "" : ", and network or chainId";
    const expected = `one of checkpoint and state, or heads${chain}`;
    throw refuse("invalid_argument", expected, "none of them");
  }
  const id = readChainId(given, known);
  if (id === undefined) {
    throw invalid(undefined, "chainId", "a positive integer of 64 bits", "undefined");
  }
  const blobs = readBlobs(given, known);
  return {
    ...followerSettings(given, id, blobs),
    chainId: id,
    blobs,
    wallet: walletOf(given.unchecked("wallet"), id),
    onUnproven: optionalFunction(
      given.unchecked("onUnproven"),
      "onUnproven",
    ) as NetworkSettings["onUnproven"],
    pollInterval: Math.max(
      50,
      milliseconds(given.unchecked("pollInterval"), "pollInterval") ?? 4000,
    ),
  };
}

const isBuiltIn = (network: unknown): network is NetworkName =>
  typeof network === "string" && Object.hasOwn(CHAINS, network);

function followerSettings(
  given: NetworkArguments,
  chainId: bigint,
  blobs: readonly BlobParams[],
): Pick<NetworkSettings, "follower" | "beacon" | "now" | "secondsPerSlot" | keyof LogsSettings> {
  const heads = given.unchecked("heads");
  const fork = given.optionalChoice("fork", EXECUTION_FORKS);
  if (heads === undefined) {
    if (fork) throw invalid(undefined, "fork", "left out without heads", "there");
    const settings = readSettings(given);
    const { secondsPerSlot } = settings.network;
    const beacon = beaconOf(settings);
    return { ...settings, follower: new Follower(settings, beacon), beacon, secondsPerSlot };
  }
  const unused = BEACON_OPTIONS.find(
    (name) => name !== "network" && given.unchecked(name) !== undefined,
  );
  if (unused !== undefined) throw invalid(undefined, unused, "left out beside heads", "there");
  const network = given.unchecked("network");
  if (network !== undefined && !isBuiltIn(network)) {
    throw wrongNetwork(", or left out beside heads", network);
  }
  const named = fork && rulesOfFork(chainId, fork, blobs);
  const rules = network === undefined ? named : knownRules(network, fork);
  const settings = { ...readCommon(given), rules };
  const follower = new Follower(settings, new PinnedSource(heads));
  return { ...settings, follower, beacon: undefined, secondsPerSlot: undefined };
}

const wrongNetwork = (otherwise: string, network: unknown) => {
  const names = Object.keys(CHAINS).join(", ");
  return invalid(undefined, "network", `${names}${otherwise}`, describe(network));
};

/** The methods that the wallet answers: about accounts, signatures, and decisions of the user. */
const WALLET_METHODS = new Set([
  ...FORWARDABLE.filter((method) => ["sign", "connect"].includes(kindOf(method))),
  ...["eth_accounts", "wallet_getCapabilities", "wallet_getCallsStatus"],
]);

function walletOf(given: unknown, chainId: bigint): NetworkSettings["wallet"] {
  if (given === undefined) return undefined;
  const provider = given as Eip1193Provider | null;
  if (typeof provider?.request !== "function") {
    throw invalid(undefined, "wallet", "a provider of EIP-1193", describe(given));
  }
  const forwarding: Forwarding = {
    server: new WalletServer(provider, 10_000),
    chainId,
    methods: WALLET_METHODS,
    maxFeePerGas: undefined,
    onUnverified: undefined,
  };
  return { provider, forwarding };
}
