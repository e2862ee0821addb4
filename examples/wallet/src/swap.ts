// What swaps on Ethereum would do, before anybody signs them: simulated here, over state that is proven.

import {
  type CallInput,
  EthereumClient,
  type EthereumOptions,
  type Hex,
  type Simulation,
} from "prooflight/ethereum";

import { type Answers, type Block, type Proof, serving } from "../../page/recorded.js";

/** An amount of a token, in its smallest units. */
export interface Amount {
  token: Hex;
  amount: Hex;
}

/** What a site offers, what it says of it, and the transactions that it asks the user to sign. */
export interface Offer {
  name: string;
  says: string;
  gives: Amount;
  gets: Amount;
  calls: { to: Hex; data: Hex }[];
}

/** The contents of swap.json. */
export interface Recorded {
  origin: string;
  network: {
    genesisValidatorsRoot: Hex;
    genesisTime: string;
    genesisForkVersion: Hex;
    /** The versions of the forks, which all begin with the chain. */
    forks: Record<string, Hex>;
    committeeSize: number;
  };
  chainId: number;
  now: number;
  checkpoint: Hex;
  bootstrap: Hex;
  optimistic: Hex;
  block: Block;
  user: Hex;
  tokens: Record<Hex, { symbol: string; decimals: number }>;
  names: Record<Hex, string>;
  offers: Offer[];
  proofs: Proof[];
  codes: Record<Hex, Hex>;
}

/** The options of a client without its `fetch`, and the answers to serve. */
export function readRecorded(recorded: Recorded): { options: EthereumOptions; answers: Answers } {
  const { network, checkpoint, now, chainId, block, proofs, codes, origin } = recorded;
  const forks = Object.entries(network.forks).map(([fork, version]) => [
    fork,
    { epoch: 0n, version },
  ]);
  const options: EthereumOptions = {
    network: {
      genesisValidatorsRoot: network.genesisValidatorsRoot,
      genesisTime: BigInt(network.genesisTime),
      genesisForkVersion: network.genesisForkVersion,
      forks: Object.fromEntries(forks) as Record<string, never>,
      slotsPerEpoch: 8n,
      epochsPerPeriod: 8n,
      committeeSize: network.committeeSize,
    },
    checkpoint,
    chainId,
    beacon: ["https://beacon.invalid"],
    execution: ["https://execution.invalid"],
    now: () => BigInt(now), // the time of the recording
  };
  const answers: Answers = {
    about: { origin, license: "CC0-1.0", checkpoint, period: 0, now },
    bootstrap: bytes(recorded.bootstrap),
    updates: new Uint8Array(),
    finality: undefined,
    optimistic: bytes(recorded.optimistic),
    block,
    receipts: [],
    state: { proofs, codes },
  };
  return { options, answers };
}

const bytes = (hex: Hex) =>
  Uint8Array.from(hex.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** The transactions of an offer, as the user would send them. */
export const callsOf = ({ user }: Recorded, { calls }: Offer): CallInput[] =>
  calls.map(({ to, data }) => ({ from: user, to, data }));

/** Simulates offers over the recorded chain. */
export class Simulator {
  readonly recorded: Recorded;
  #client: Promise<EthereumClient> | undefined;

  constructor(recorded: Recorded) {
    this.recorded = recorded;
  }

  /** What an offer would do. Throws a `VerifyError` if a server lies. */
  async simulate(offer: Offer): Promise<Simulation> {
    const { options, answers } = readRecorded(this.recorded);
    this.#client ??= EthereumClient.connect({ ...options, fetch: serving(answers) });
    const client = await this.#client;
    const tokens = Object.keys(this.recorded.tokens) as Hex[];
    return client.simulate(callsOf(this.recorded, offer), { tokens });
  }
}

/** Compares what an offer would do with what its site says. */
export function warningsAbout(
  { user, tokens, names }: Recorded,
  { gives, gets }: Offer,
  { calls, accounts, tokens: changes, approvals, unasked }: Simulation,
): string[] {
  const changeOf = (token: Hex) => {
    const change = changes.find((one) => one.token === token && one.owner === user);
    return change ? change.after - change.before : 0n;
  };
  const symbol = (token: Hex) => tokens[token]?.symbol ?? token;
  const own = accounts.find(({ address }) => address === user);
  const left = BigInt(gives.amount) + changeOf(gives.token);
  const got = changeOf(gets.token);
  const named = [gives.token, gets.token];
  const lost = changes.filter(
    ({ token, owner, before, after }) => owner === user && after < before && !named.includes(token),
  );
  const allowed = approvals.filter(({ owner, after }) => owner === user && after > 0n);
  return [
    ...calls.flatMap(({ status, message }, at) =>
      status === "success" ? [] : [`Transaction ${at + 1} fails: ${message ?? status}.`],
    ),
    ...(own?.code === undefined ? [] : ["Another’s code would run for your account from then on."]),
    ...allowed.map(
      ({ spender, token, after, before }) =>
        `${names[spender] ?? spender} may take ${after >= 1n << 255n ? "all your" : "more"} ${symbol(token)} ` +
        `afterwards, without asking you${after === before ? ", as it may already" : ""}.`,
    ),
    ...(left < 0n ? [`It takes more ${symbol(gives.token)} than the site says.`] : []),
    ...lost.map(({ token }) => `It takes ${symbol(token)}, of which the site says nothing.`),
    ...(own && own.balance.after < own.balance.before
      ? ["It takes ether, of which the site says nothing."]
      : []),
    ...(unasked > 0 ? ["Its logs name more than can be asked for: it may hide something."] : []),
    ...(got < BigInt(gets.amount)
      ? [
          `You get ${got <= 0n ? "no" : "less"} ${symbol(gets.token)}${got <= 0n ? "" : " than the site says"}.`,
        ]
      : []),
  ];
}
