// The last steps of a call: the accounts, codes and slots that it reads, in the order in which they rest on one another,
// and its execution. The client asks for all of them within one call; here each request is counted for its step.

import { VerifyError } from "prooflight";
import type { BlockHeader, CallAnswer, EthereumClient, Hex } from "prooflight/ethereum";
import { init, verifyEthGetProof } from "prooflight/mpt";

import type { Cost, Listener, Question } from "./journey.js";
import type { Exchange, Meter } from "./meter.js";

export interface CallResults {
  account: Account[];
  code: Code[];
  slots: Slot[];
  execution: Execution;
}

/** An account that the call reads. */
export interface Account {
  address: Hex;
  balance: bigint;
  codeHash: Hex;
  storageRoot: Hex;
}

/** A code that the call runs; its hash is that of its account. */
export interface Code {
  address: Hex;
  bytes: number;
}

/** A slot that the call reads. */
export interface Slot {
  slot: Hex;
  value: bigint;
  /** Whether it is the address of an account that the call reads. */
  isAccount: boolean;
}

/** What the contract returns. */
export interface Execution {
  call: { to: Hex; data: Hex };
  answer: CallAnswer;
  /** What a server says of it. Nothing rests on that. */
  claimed: Hex | undefined;
}

interface CallPath {
  client: EthereumClient;
  block: BlockHeader;
  question: Question & { kind: "call" };
  meter: Meter;
}

const PARTS = ["account", "code", "slots"] as const;
type Part = (typeof PARTS)[number];

/** Takes the steps of a call; whether all of them are verified. */
export async function takeCall(path: CallPath, tell: Listener): Promise<boolean> {
  const { client, block, question, meter } = path;
  await init(); // for the display: the values in the proofs that the client accepted
  for (const part of PARTS) tell.begins(part);
  const first = meter.exchanges.length;
  const started = performance.now();
  /** The exchanges of each round of requests, and when all of their replies were verified. */
  const rounds: { exchanges: Exchange[]; end: number }[] = [];
  const pending = () =>
    meter.exchanges.slice(rounds.reduce((at, { exchanges }) => at + exchanges.length, first));
  /** Loading the WebAssembly comes before the first request. */
  const beginning = () => meter.exchanges[first]?.asked ?? started;

  const costOf = (part: Part): Cost => {
    const own = (exchanges: Exchange[]) => exchanges.filter((one) => partOf(one) === part);
    const taken = rounds.map(({ exchanges, end }, index) => ({
      number: index + 1,
      milliseconds: end - (rounds[index - 1]?.end ?? beginning()),
      exchanges: own(exchanges),
    }));
    const asking = taken.filter(({ exchanges }) => exchanges.length > 0);
    return {
      rounds: asking.map(({ number }) => number),
      ...total(asking.flatMap(({ exchanges }) => exchanges)),
      milliseconds: asking.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
    };
  };
  const showParts = (parts: readonly Part[]) => {
    const shown = shownBy(
      block,
      rounds.flatMap(({ exchanges }) => exchanges),
    );
    for (const part of parts) tell.verified(part, shown[part], costOf(part));
  };

  let answer: CallAnswer;
  try {
    answer = await client.call(question.call, {
      at: block.hash,
      onProgress: () => rounds.push({ exchanges: pending(), end: performance.now() }),
    });
  } catch (error) {
    if (error instanceof VerifyError) {
      const failed = failedPart(error, pending());
      const at = PARTS.indexOf(failed);
      showParts(PARTS.slice(0, at));
      rounds.push({ exchanges: pending(), end: performance.now() });
      tell.refused(failed, error, costOf(failed));
    }
    throw error;
  }
  const cost: Cost = {
    milliseconds: performance.now() - (rounds.at(-1)?.end ?? started),
    ...{ requests: 0, bytes: 0 },
  };
  showParts(PARTS);
  const claimed = await askPlainly(question, block);
  const result = { call: question.call, answer, claimed };
  if (claimed === undefined || claimed === answer.data) {
    tell.verified("execution", result, cost);
    return true;
  }
  tell.contradicted(result, cost);
  return false;
}

/** The step that a question is about. A server's list of what is read is about slots. */
function partOf({ method, params: [, slots] }: Exchange): Part {
  if (method === "eth_getCode") return "code";
  return method === "eth_createAccessList" || (slots as Hex[]).length > 0 ? "slots" : "account";
}

/** The step that fails, by the exchanges whose replies are not all verified. */
function failedPart({ reason }: VerifyError, pending: readonly Exchange[]): Part {
  if (reason === "code_mismatch") return "code";
  const proofs = pending.filter(({ method }) => method === "eth_getProof").map(partOf);
  return proofs.includes("slots") ? "slots" : "account";
}

function total(exchanges: readonly Exchange[]) {
  const bytes = exchanges.reduce((sum, exchange) => sum + exchange.bytes, 0);
  return { requests: exchanges.length, bytes };
}

/** What verified exchanges show. Proofs are verified again, since values may stand beside them that are none of theirs. */
function shownBy({ stateRoot }: BlockHeader, exchanges: readonly Exchange[]) {
  const accounts = new Map<Hex, Account>();
  const codes = new Map<Hex, Code>();
  const found = new Map<string, Omit<Slot, "isAccount">>();
  for (const { method, params, result } of exchanges) {
    const [address, slots] = params as [Hex, Hex[]];
    if (method === "eth_getCode" && typeof result === "string") {
      codes.set(address, { address, bytes: (result.length - 2) / 2 });
    }
    if (method !== "eth_getProof" || result === undefined) continue;
    const shown = verifyEthGetProof({ stateRoot, address, slots, response: result });
    slots.forEach((slot, index) =>
      found.set(`${address} ${slot}`, { slot, value: shown.storage[index] ?? 0n }),
    );
    if (shown.kind === "absent") continue;
    const [codeHash, storageRoot] = [hex(shown.codeHash), hex(shown.storageHash)];
    accounts.set(address, { address, balance: shown.balance, codeHash, storageRoot });
  }
  const slots = Array.from(found.values(), (slot) => ({
    ...slot,
    isAccount: accounts.has(`0x${slot.value.toString(16).padStart(40, "0")}`),
  }));
  return { account: [...accounts.values()], code: [...codes.values()], slots };
}

const hex = (bytes: Uint8Array): Hex =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** What the first server says that the call returns; undefined if it says nothing. */
async function askPlainly(
  { options, call }: CallPath["question"],
  { hash }: BlockHeader,
): Promise<Hex | undefined> {
  const params = [call, { blockHash: hash }];
  const reply = await options.fetch(new URL(options.execution[0] ?? ""), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params }),
  });
  return ((await reply.json()) as { result?: Hex }).result;
}
