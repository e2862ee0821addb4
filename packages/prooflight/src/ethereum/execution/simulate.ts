/** What calls would do, before anybody signs them. */

import { type Hex, toHex } from "../../bytes.js";
import type { Reader } from "../../wire.js";
import type { Block } from "../blocks.js";
import { type Log, readLog } from "../transactions.js";
import type { ChainView } from "../view.js";
import type { Call } from "./call.js";
import { basisOf, type CallBasis } from "./calls.js";
import { type CallProgress, execute, type Executed } from "./execute.js";
import { type CallOutcome, readCallOutcome } from "./outcome.js";
import type { Overrides } from "./overrides.js";

/** Calls, checked, with what is to be different. */
export interface CheckedCalls {
  calls: readonly Call[];
  /** Contracts that are asked for the senders' balances. */
  tokens: readonly Hex[];
  overrides: Overrides;
  onProgress?: ((progress: CallProgress) => void) | undefined;
}

/** A log of a call: what a contract says, and nothing more. */
export type SimulatedLog = Pick<Log, "address" | "topics" | "data">;

/** What one of the calls comes to. */
export interface SimulatedCall {
  /** `failed` stands for any end without data, such as too little gas, and for calls that are not executed. */
  status: "success" | "reverted" | "failed";
  /** What it returned, or what it says if it was reverted. */
  data: Hex;
  /** Why it failed, in the words of geth. */
  message: string | undefined;
  gasUsed: bigint;
  /** None if it failed. */
  logs: SimulatedLog[];
}

/** An account that the calls change. */
export interface AccountDifference {
  address: Hex;
  /** In wei. */
  balance: { before: bigint; after: bigint };
  nonce: { before: bigint; after: bigint };
  /** The code afterwards; undefined if it stays. */
  code: Hex | undefined;
  /** The account whose code it runs from then on (EIP-7702); undefined if that stays. */
  delegate: Hex | undefined;
  slots: { slot: Hex; before: Hex; after: Hex }[];
}

/** A balance that a token's contract gives before the calls and after them, in its smallest units. */
export interface TokenDifference {
  token: Hex;
  owner: Hex;
  before: bigint;
  after: bigint;
}

/** What a spender may take of an owner's tokens, as the token's contract gives it before the calls and after them. */
export interface Approval {
  token: Hex;
  owner: Hex;
  spender: Hex;
  /** An amount, or 1 and 0 for whether it may take all. */
  before: bigint;
  after: bigint;
  /** Whether it is about all tokens of the contract, as of collections. */
  isForAll: boolean;
}

/** What calls do, each after those before it. */
export interface Simulation extends CallBasis {
  calls: SimulatedCall[];
  /** The accounts that they change together. What the recipient of the fees gets is left out. */
  accounts: AccountDifference[];
  /** The balances that change, of tokens that are named, or that a log names. */
  tokens: TokenDifference[];
  /**
   * What spenders may take afterwards, where a log of ERC-20, or of a whole collection, names it, also if it stays. Other
   * contracts may have other ways to approve.
   */
  approvals: Approval[];
  /**
   * How many balances and approvals that logs name were not asked for, since there are more than 64. What the senders may
   * lose is asked for first.
   */
  unasked: number;
}

/** The most questions to tokens. */
const MAX_PROBES = 64;

/** The gas of such a question. */
const PROBE_GAS = 500_000n;

const SELECTORS = {
  balanceOf: "70a08231",
  allowance: "dd62ed3e",
  isApprovedForAll: "e985e9c5",
} as const;

const TOPICS = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  approval: "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  approvalForAll: "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
} as const;

/** A question to a token's contract, which is asked before the calls and after them. */
interface Probe {
  kind: keyof typeof SELECTORS;
  token: Hex;
  owner: Hex;
  spender: Hex | undefined;
}

/** A simulation as the binary gives it. */
interface RawSimulation {
  /** The outcomes of the questions before and after the calls. */
  before: CallOutcome[];
  after: CallOutcome[];
  calls: { outcome: CallOutcome; logs: SimulatedLog[] }[];
  accounts: AccountDifference[];
}

/**
 * Executes calls, each after those before it, and says what they change.
 *
 * The calls are executed once, to see which tokens their logs name, and again between questions to these tokens: a log is
 * only what a contract says, while its balances are what it would say before and after. Each question is executed alone,
 * so that no token can answer for another one.
 */
export async function simulate(
  view: ChainView,
  block: Block,
  given: CheckedCalls,
): Promise<Simulation> {
  const first = await run(view, block, given, []);
  const named = probesOf(
    given,
    first.result.calls.flatMap(({ logs }) => logs),
  );
  const probes = named.slice(0, MAX_PROBES);
  const { result, rounds, bytes } =
    probes.length === 0
      ? { ...first, rounds: 0, bytes: 0 }
      : await run(view, block, given, probes.map(callOf));
  const answers = probes.map((probe, index) => ({
    probe,
    before: answerOf(result.before[index]),
    after: answerOf(result.after[index]),
  }));
  const basis = basisOf(first);
  return {
    ...basis,
    calls: result.calls.map(simulated),
    accounts: result.accounts.map(copyOf),
    tokens: answers.flatMap(({ probe: { kind, token, owner }, before, after }) =>
      kind === "balanceOf" && before !== undefined && after !== undefined && before !== after
        ? [{ token, owner, before, after }]
        : [],
    ),
    approvals: answers.flatMap(({ probe: { kind, token, owner, spender }, before, after }) =>
      spender !== undefined && before !== undefined && after !== undefined
        ? [{ token, owner, spender, before, after, isForAll: kind === "isApprovedForAll" }]
        : [],
    ),
    unasked: named.length - probes.length,
    rounds: basis.rounds + rounds,
    bytes: basis.bytes + bytes,
  };
}

async function run(
  view: ChainView,
  block: Block,
  { calls, overrides, onProgress }: CheckedCalls,
  questions: readonly Call[],
): Promise<Executed<RawSimulation>> {
  const execution = "evmSimulate";
  const question = { execution, calls, questions, overrides, read: readSimulation } as const;
  return execute(view, block, question, onProgress);
}

/** Reads `Simulation`. */
function readSimulation(reader: Reader): RawSimulation {
  const hex = (length: number) => toHex(reader.array(length)) as Hex;
  const before = reader.sequence(() => readCallOutcome(reader));
  const calls = reader.sequence(() => ({
    outcome: readCallOutcome(reader),
    logs: reader.sequence(() => readLog(reader)),
  }));
  const after = reader.sequence(() => readCallOutcome(reader));
  const accounts = reader.sequence(() => {
    const address = hex(20);
    const balance = { before: reader.uint(32), after: reader.uint(32) };
    const nonce = { before: reader.u64(), after: reader.u64() };
    const given = reader.optionalBytes();
    const code = given === null ? undefined : (toHex(given) as Hex);
    const slots = reader.sequence(() => ({ slot: hex(32), before: hex(32), after: hex(32) }));
    const isDelegation = code?.length === 48 && code.startsWith("0xef0100");
    const delegate: Hex | undefined = isDelegation ? `0x${code.slice(8)}` : undefined;
    return { address, balance, nonce, code, delegate, slots };
  });
  return { before, after, calls, accounts };
}

function simulated({ outcome, logs }: RawSimulation["calls"][number]): SimulatedCall {
  const copies = logs.map(({ address, topics, data }) => ({ address, topics: [...topics], data }));
  if (!outcome.failed) {
    const { data, gasUsed } = outcome;
    return { status: "success", data, message: undefined, gasUsed, logs: copies };
  }
  const { message, data, gasUsed } = outcome.failed;
  const status = data === undefined ? "failed" : "reverted";
  return { status, data: data ?? "0x", message, gasUsed, logs: copies };
}

const copyOf = ({ balance, nonce, slots, ...rest }: AccountDifference): AccountDifference => ({
  ...rest,
  balance: { ...balance },
  nonce: { ...nonce },
  slots: slots.map((slot) => ({ ...slot })),
});

/**
 * The questions to the tokens that are named, or that logs name, without repetition: first the senders' balances of named
 * tokens, then what others may take of the senders' tokens, then the senders' other balances.
 */
function probesOf({ calls, tokens }: CheckedCalls, logs: readonly SimulatedLog[]): Probe[] {
  const probes = new Map<string, Probe>();
  const senders = new Set(calls.flatMap(({ from }) => from ?? []));
  const add = (kind: Probe["kind"], token: Hex, owner: Hex, spender?: Hex) => {
    if (BigInt(owner) === 0n) return;
    probes.set([kind, token, owner, spender].join(), { kind, token, owner, spender });
  };
  for (const token of tokens) for (const sender of senders) add("balanceOf", token, sender);
  for (const { address, topics } of logs) {
    const [topic, one, two] = topics;
    const [first, second] = [addressIn(one), addressIn(two)];
    if (first === undefined || second === undefined) continue;
    if (topic === TOPICS.transfer) {
      add("balanceOf", address, first);
      add("balanceOf", address, second);
    }
    // With a fourth topic, it is about one token of a collection.
    if (topic === TOPICS.approval && topics.length === 3) add("allowance", address, first, second);
    if (topic === TOPICS.approvalForAll) add("isApprovedForAll", address, first, second);
  }
  const rankOf = ({ kind, token, owner }: Probe) => {
    if (!senders.has(owner)) return 3;
    if (kind !== "balanceOf") return 1;
    return tokens.includes(token) ? 0 : 2;
  };
  return [...probes.values()].sort((one, other) => rankOf(one) - rankOf(other));
}

/** The address that fills a topic; undefined for another topic. */
function addressIn(topic: Hex | undefined): Hex | undefined {
  return topic?.startsWith(`0x${"0".repeat(24)}`) ? `0x${topic.slice(26)}` : undefined;
}

function callOf({ kind, token, owner, spender }: Probe): Call {
  const words = [owner, ...(spender === undefined ? [] : [spender])];
  const data = words.map((address) => address.slice(2).padStart(64, "0")).join("");
  return {
    ...{ from: undefined, to: token, data: `0x${SELECTORS[kind]}${data}`, value: 0n },
    ...{ gas: PROBE_GAS, gasPrice: undefined, maxFeePerGas: undefined },
    ...{ maxPriorityFeePerGas: undefined, maxFeePerBlobGas: undefined },
    ...{ blobVersionedHashes: undefined, accessList: undefined, authorizationList: undefined },
    chainId: undefined,
  };
}

/** The integer that a token's contract returned; undefined if it returned none. */
const answerOf = (outcome: CallOutcome | undefined): bigint | undefined =>
  outcome && !outcome.failed && outcome.data.length === 66 ? BigInt(outcome.data) : undefined;
