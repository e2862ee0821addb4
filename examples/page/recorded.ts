// Recorded answers of Ethereum's nodes, served to a client without a network.

import type { Hex } from "prooflight/ethereum";

/** What was recorded. */
export interface About {
  origin: string;
  license: string;
  /** The root of a finalized beacon block, and the period of its committee. */
  checkpoint: Hex;
  period: number;
  /** The time of the recording, in milliseconds since 1970. */
  now: number;
}

/** The recorded answers, which a lie may change. */
export interface Answers {
  about: About;
  bootstrap: Uint8Array<ArrayBuffer>;
  updates: Uint8Array<ArrayBuffer>;
  /** None if no finalized block is newer than the checkpoint. */
  finality: Uint8Array<ArrayBuffer> | undefined;
  optimistic: Uint8Array<ArrayBuffer>;
  block: Block;
  /** The receipts of the block; none if its state was recorded. */
  receipts: Receipt[];
  state: State | undefined;
}

export interface Block {
  hash: Hex;
  number: Hex;
  stateRoot: Hex;
  transactions: (Hex | { hash: Hex; to: Hex | null })[];
}

export interface Receipt {
  transactionHash: Hex;
  status: Hex;
  logs: { address: Hex; topics: Hex[]; data: Hex }[];
}

/** What a call reads of the state after the block, and what it returned. */
export interface State {
  call?: { to: Hex; data: Hex };
  returned?: Hex;
  proofs: Proof[];
  codes: Record<Hex, Hex>;
  /** What the call reads, as servers list it; undefined as from a server that does not. */
  hint?: { accessList: { address: Hex; storageKeys: Hex[] }[]; gasUsed: Hex } | undefined;
}

/** An answer to `eth_getProof`. */
export interface Proof {
  address: Hex;
  accountProof: Hex[];
  storageProof: { key: Hex; value: Hex; proof: Hex[] }[];
}

/** A `fetch` that gives these answers, as beacon and execution nodes would. */
export const serving =
  (answers: Answers): typeof fetch =>
  (input, init) =>
    Promise.resolve(reply(answers, new URL(input as URL), init?.body as string | undefined));

function reply(answers: Answers, { pathname, searchParams }: URL, body: string | undefined) {
  if (body === undefined) {
    const found = resource(answers, pathname, searchParams);
    if (!found) return new Response("not recorded", { status: 404 });
    return new Response(found, { headers: { "content-type": "application/octet-stream" } });
  }
  const asked = JSON.parse(body) as Call | Call[];
  const text = Array.isArray(asked)
    ? asked.map((call) => answer(answers, call))
    : answer(answers, asked);
  return new Response(JSON.stringify(text), { headers: { "content-type": "application/json" } });
}

function answer(answers: Answers, call: Call) {
  const result = resultOf(answers, call);
  const error = { code: -32000, message: "not recorded" };
  return { jsonrpc: "2.0", id: call.id, ...(result === undefined ? { error } : { result }) };
}

interface Call {
  id: number;
  method: string;
  params: readonly unknown[];
}

function resource({ about, ...answers }: Answers, path: string, query: URLSearchParams) {
  const name = path.replace("/eth/v1/beacon/light_client/", "");
  if (name === `bootstrap/${about.checkpoint}`) return answers.bootstrap;
  if (name === "finality_update") return answers.finality;
  if (name === "optimistic_update") return answers.optimistic;
  if (name !== "updates") return undefined;
  const isFirst = query.get("start_period") === String(about.period);
  return isFirst ? answers.updates : new Uint8Array();
}

function resultOf(answers: Answers, { method, params: [first, second] }: Call) {
  const { block, receipts, state } = answers;
  switch (method) {
    case "eth_getBlockByHash":
    case "eth_getBlockByNumber": {
      if (first !== block.hash && first !== block.number) return null;
      return second === true ? block : { ...block, transactions: block.transactions.map(hashOf) };
    }
    case "eth_getTransactionByHash":
      return block.transactions.find((one) => hashOf(one) === first) ?? null;
    case "eth_getBlockReceipts":
      return receipts;
    case "eth_getProof":
      return state && proofOf(state, first as Hex, second as Hex[]);
    case "eth_getCode":
      return state?.codes[first as Hex];
    case "eth_createAccessList":
      return state?.hint;
    case "eth_call":
      return state?.returned;
    default:
      return undefined;
  }
}

const hashOf = (one: Block["transactions"][number]) => (typeof one === "string" ? one : one.hash);

/** The recorded proof of an account, with those of these slots alone. */
function proofOf({ proofs }: State, address: Hex, slots: readonly Hex[]): Proof | undefined {
  const found = proofs.find((proof) => proof.address === address);
  const storageProof = slots.map((slot) => found?.storageProof.find(({ key }) => key === slot));
  const isWhole = (all: typeof storageProof): all is Proof["storageProof"] =>
    all.every((proof) => proof !== undefined);
  return found && isWhole(storageProof) ? { ...found, storageProof } : undefined;
}
