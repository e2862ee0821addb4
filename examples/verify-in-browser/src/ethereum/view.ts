// Shows the steps of journey.ts on the page. The parts of the page are in ethereum.html.

import { REASONS, VerifyError } from "prooflight";
import type { BlockHeader, EthereumClient, Hex, TransactionReceipt } from "prooflight/ethereum";

import {
  type Content,
  decimals,
  element,
  find,
  markDifference,
  number,
  plural,
  rows,
  sentence,
  showState,
} from "../format.js";
import { NotAProof } from "../not-a-proof.js";
import { choice, press } from "../page.js";
import type { Account, Code, Execution, Slot } from "./call.js";
import { type Cost, type Question, type Results, type Step, STEPS } from "./journey.js";
import type { Lie } from "./lies.js";
import type { Sample } from "./samples.js";

type Fact = readonly [label: string, content: Content];

/** The states of a step; each has an icon of its name. */
type State = "idle" | "running" | "trusted" | "verified" | "refused";

export const form = find("live") as HTMLFormElement;

/** Offers receipts and calls to pick. */
export function offerSamples(samples: readonly Sample[], pick: (sample: Sample) => void): void {
  const buttons = samples.map((sample) =>
    choice([element("b", sample.name), sample.what], sample, pick),
  );
  find("samples").replaceChildren(...buttons);
}

/** Clears the choice. */
export function releaseSamples(): void {
  press(find("samples"), undefined);
}

/** Offers lies as alternatives to the truth, which is chosen at first; none hides the choice. */
export function offerLies(lies: readonly Lie[], tell: (lie: Lie | undefined) => void): void {
  const truth = choice(["Tell the truth"], undefined, tell);
  find("lie").replaceChildren(truth, ...lies.map((lie) => choice([lie.name], lie, tell)));
  press(find("lie"), truth);
  find("lies").hidden = lies.length === 0;
}

/** Shows what the chosen lie changes. */
export function showChange(lie: Lie | undefined): void {
  find("change").textContent =
    lie?.change ?? "This is what honest servers send. Choose a lie instead.";
}

/** Begins to show a journey from a checkpoint. */
export function showStart({ kind, options }: Question, origin: string): void {
  for (const id of ["how", "explanation"]) find(id).hidden = true;
  find("journey").hidden = false;
  for (const step of new Set(Object.values(STEPS).flat())) {
    find(`step-${step}`).hidden = !STEPS[kind].includes(step);
    showStep(step, "idle", "", []);
  }
  const checkpoint = String(options.checkpoint);
  showStep("checkpoint", "trusted", "trusted", [["Root", [code(checkpoint)]]]);
  showState("running", ["Checking…"], "");
  find("origin").textContent = origin;
  find("together").hidden = kind !== "call";
}

export function showRunning(step: Step): void {
  showStep(step, "running", "checking…", []);
}

export function showVerified<S extends Step>(step: S, result: Results[S], cost: Cost): void {
  const facts = FACTS[step] as (result: Results[S]) => Fact[];
  showStep(step, "verified", costText(cost), facts(result));
}

/** Shows why a step is refused. Those after it are not taken. */
export function showRefused(
  way: Question["kind"],
  step: Step,
  error: VerifyError,
  cost: Cost,
): void {
  const { code: kind, reason, details } = error;
  for (const later of STEPS[way].slice(STEPS[way].indexOf(step))) showStep(later, "idle", "", []);
  showStep(step, "refused", costText(cost), [
    ["Reason", [code(`${kind} / ${reason}`)]],
    ["Expected", [element("code", markDifference(details.expected, details.found))]],
    ["Found", [element("code", markDifference(details.found, details.expected))]],
  ]);
  const isLie = kind !== "unavailable" && kind !== "invalid_input";
  showState(
    isLie ? "refused" : "problem",
    [isLie ? "Refused" : "Not answered"],
    sentence(REASONS[reason].meaning),
  );
}

/** Shows that a server says something else than what was executed here. */
export function showContradicted(result: Execution, cost: Cost): void {
  const { answer, claimed = "" } = result;
  const shown = (data: string, other: string): Content => [
    element("b", returned(result, data)),
    " ",
    element("code", markDifference(data, other)),
  ];
  showStep("execution", "refused", costText(cost), [
    ["Executed here", shown(answer.data, claimed)],
    ["The server says", shown(claimed, answer.data)],
    ["Gas used", [number(answer.gasUsed)]],
  ]);
  showState(
    "refused",
    ["Refused"],
    "The server’s own answer is not what the contract returns. What it returns is known all the same.",
  );
}

/** Shows that the whole way is verified. */
export function showArrival(
  kind: Question["kind"],
  { milliseconds, bytes }: Cost,
  isRecorded: boolean,
): void {
  const time = element("small", `in ${inMilliseconds(milliseconds)}`);
  const from = isRecorded ? "recorded answers" : "servers that nobody has to trust";
  const to = kind === "receipt" ? "the receipt" : "what the contract returns";
  showState(
    "verified",
    ["Verified ", time],
    `From one root of 32 bytes to ${to}, with ${kilobytes(bytes)} of ${from}.`,
  );
}

/** Shows why there is nothing to show. */
export function showProblem(error: unknown): void {
  const expected = error instanceof NotAProof || error instanceof VerifyError;
  if (!expected) console.error(error);
  find("explanation").textContent = expected
    ? error.message
    : `This page has a bug: ${String(error)}`;
  find("explanation").hidden = false;
  for (const id of ["journey", "lies"]) find(id).hidden = true;
}

/** What each step shows. */
const FACTS: { [S in Step]: (result: Results[S]) => Fact[] } = {
  head: ({ latest, finalized }: EthereumClient) => [
    ["Slot", [number(latest.slot)]],
    ["Signed by", signers(latest.participation)],
    ["Finalized", [`slot ${number(finalized.slot)}`]],
    ["Shows block", [code(latest.executionBlockHash ?? "none")]],
  ],
  block: (block: BlockHeader) => [
    ["Block", [element("b", number(block.number)), `  ${when(block.timestamp)}`]],
    ["State", [code(block.stateRoot)]],
    ["Transactions", [code(block.transactionsRoot)]],
    ["Receipts", [code(block.receiptsRoot)]],
  ],
  receipt: (receipt: TransactionReceipt) => [
    ["Status", [element("span", receipt.status ?? "none", `status ${receipt.status ?? ""}`)]],
    ["From", [code(receipt.from)]],
    ["To", [code(receipt.to ?? receipt.contractAddress ?? "none")]],
    [
      "Fee",
      [
        `${decimals(receipt.gasUsed * receipt.effectiveGasPrice, 18)} ETH, ` +
          `for ${number(receipt.gasUsed)} gas`,
      ],
    ],
    [plural(receipt.logs.length, "log"), logs(receipt)],
  ],
  account: (accounts: readonly Account[]) =>
    accounts.flatMap(({ address, codeHash, storageRoot }): Fact[] => [
      ["Account", [element("b", [code(address)])]],
      ["Code’s hash", [code(codeHash)]],
      ["Storage’s root", [code(storageRoot)]],
    ]),
  code: (codes: readonly Code[]) =>
    codes.map(({ address, bytes }): Fact => [`${number(bytes)} bytes`, [code(address)]]),
  slots: (slots: readonly Slot[]) =>
    slots.map(({ slot, value, isAccount }): Fact => {
      const meaning = isAccount ? "the account above" : number(value);
      const isShort = isAccount || value < 1n << 64n;
      return [shortened(slot), [code(`0x${value.toString(16)}`), isShort ? `  ${meaning}` : ""]];
    }),
  execution: (result: Execution) => [
    ["Call", [`${named(result.call.data)} at `, code(result.call.to.toLowerCase())]],
    ["Returns", [element("b", returned(result, result.answer.data))]],
    ["Gas used", [number(result.answer.gasUsed)]],
    ["After", [`${plural(result.answer.rounds, "round trip")} for the state`]],
    ["The server says", [result.claimed === undefined ? "nothing" : "the same"]],
  ],
};

/** `balanceOf(address)`, the function that the recorded call names. */
const BALANCE_OF = "0x70a08231";

const named = (data: Hex): string =>
  data.startsWith(BALANCE_OF) && data.length === 74
    ? `balanceOf(0x${data.slice(34)})`
    : shortened(data);

/** What a call returns, in the unit of its token, if it is a balance of one that is known. */
function returned({ call }: Execution, data: string): string {
  const token = TOKENS[call.to.toLowerCase() as Hex];
  if (!token || !call.data.startsWith(BALANCE_OF) || data.length !== 66) return shortened(data);
  return `${decimals(BigInt(data), token.decimals)} ${token.symbol}`;
}

const shortened = (hex: string): string =>
  hex.length > 20 ? `${hex.slice(0, 10)}…${hex.slice(-6)}` : hex;

/** The bar shows the share of the committee. */
function signers(participation: EthereumClient["latest"]["participation"]): Content {
  if (!participation) return ["nobody: it is the checkpoint"];
  const { signed, of } = participation;
  const bar = element("span", [], "signers");
  bar.ariaHidden = "true";
  const share = element("i", []);
  share.style.width = `${(100 * signed) / of}%`;
  bar.append(share);
  return [element("b", number(signed)), ` of ${number(of)} of the sync committee`, bar];
}

/** The most logs that are shown. */
const MOST_LOGS = 8;

function logs({ logs }: TransactionReceipt): Content {
  if (logs.length === 0) return ["none"];
  const items = logs.slice(0, MOST_LOGS).map((log) => {
    const amount = transferred(log);
    return element("li", [
      ...(amount === undefined ? [] : [element("b", amount), " by "]),
      code(log.address),
    ]);
  });
  const rest = logs.length - MOST_LOGS;
  return [element("ol", rest > 0 ? [...items, element("li", `and ${rest} more`)] : items, "logs")];
}

/** `Transfer(address,address,uint256)` of a token, with two indexed arguments. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Tokens whose amounts can be shown in their unit. */
const TOKENS: Readonly<Record<Hex, { symbol: string; decimals: number }>> = {
  "0xdac17f958d2ee523a2206206994597c13d831ec7": { symbol: "USDT", decimals: 6 },
  "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48": { symbol: "USDC", decimals: 6 },
  "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2": { symbol: "WETH", decimals: 18 },
};

function transferred({ address, topics, data }: TransactionReceipt["logs"][number]) {
  const token = TOKENS[address];
  if (!token || topics[0] !== TRANSFER || topics.length !== 3) return undefined;
  return `${decimals(BigInt(data), token.decimals)} ${token.symbol} transferred`;
}

function showStep(id: Step | "checkpoint", state: State, cost: string, facts: Fact[]): void {
  const step = find(`step-${id}`);
  step.dataset.state = state;
  const part = (name: string) => {
    const found = step.querySelector(name);
    if (!found) throw new Error(`the step ${id} has no ${name}`);
    return found;
  };
  part("use").setAttribute("href", `#${state}`);
  part(".cost").textContent = cost;
  part("dl").replaceChildren(...rows(facts));
}

const code = (text: string) => element("code", text);

const costText = ({ milliseconds, requests, bytes, rounds }: Cost) => {
  const asked =
    requests === 0 ? "no request" : `${plural(requests, "request")}, ${kilobytes(bytes)}`;
  const trips = rounds && rounds.length > 0 ? ` in ${roundText(rounds)}` : "";
  return `${inMilliseconds(milliseconds)} · ${asked}${trips}`;
};

const roundText = (rounds: readonly number[]) => {
  const [last, ...others] = [...rounds].reverse();
  return others.length === 0
    ? `round trip ${last}`
    : `round trips ${others.reverse().join(", ")} and ${last}`;
};

const inMilliseconds = (milliseconds: number) =>
  `${milliseconds.toLocaleString("en", { maximumSignificantDigits: 3 })} ms`;

const kilobytes = (bytes: number) =>
  `${(bytes / 1000).toLocaleString("en", { maximumFractionDigits: bytes < 10_000 ? 1 : 0 })} kB`;

/** A time in UTC, to the second. */
const when = (seconds: bigint) =>
  `${new Date(Number(seconds) * 1000).toISOString().replace("T", " ").slice(0, 19)} UTC`;
