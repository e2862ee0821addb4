/** The questions of recorded cases, asked of a client, and what their results must contain. */

import { expect } from "vitest";

import type { EthereumClient, TransactionReceipt } from "../../src/ethereum.js";
import type { Asked, Case } from "./recorded.js";
import { isHeadTag, type LogsFilter, type Proof, proofsIn, type Served } from "./serve.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

/** A question to a client. */
export interface Question {
  name: string;
  ask: (client: EthereumClient) => Promise<unknown>;
  /** Compares the result with the recorded one. */
  check: (result: unknown) => void;
}

/** The questions about a head of a case: its own, if it is about this block, and whatever is recorded there. */
export function questionsOf({ asked, replies }: Case, served: Served): Question[] {
  const block = served.blockAt(served.number)?.json;
  const accounts = proofsIn(replies, block?.["stateRoot"] as Hex);
  const receipts = served.execution("eth_getBlockReceipts", [served.hash]) as Json[] | undefined;
  return [
    ...(asked ? ownQuestions(asked, served, receipts) : []),
    ...accounts.flatMap((proof) => accountQuestions(proof, served)),
    ...(receipts ? [receiptsQuestion(receipts)] : []),
  ];
}

/** The question of the case; none if it is about another block. */
function ownQuestions(
  { method, params, expected }: Asked,
  { hash, number }: Served,
  receipts: Json[] | undefined,
): Question[] {
  const [first] = params;
  // That there is nothing is not a client's to say.
  if (expected === null || expected === undefined) return [];
  const found = expected as Json;
  switch (method) {
    case "eth_getBlockByNumber":
    case "eth_getBlockByHash":
      return found["hash"] === hash ? blockQuestions(first, found) : [];
    case "eth_getTransactionByHash":
      return found["blockHash"] === hash ? [transactionQuestion(found)] : [];
    case "eth_getTransactionReceipt":
      if (found["blockHash"] !== hash || !receipts) return [];
      return [
        {
          name: "receipt",
          ask: (client) => client.receipt(first as Hex),
          check: (result) => {
            contains(receiptJson(result as TransactionReceipt), found);
          },
        },
      ];
    case "eth_getLogs": {
      const { fromBlock, toBlock, blockHash } = first as LogsFilter;
      const isHead = (at: unknown) => isHeadTag(at) || at === quantity(number);
      const isHere =
        blockHash === undefined ? isHead(fromBlock) && isHead(toBlock) : blockHash === hash;
      return isHere && receipts ? [logsQuestion(first as LogsFilter, expected as Json[])] : [];
    }
    default:
      return [];
  }
}

/** An account whose proof was recorded, and its code. */
function accountQuestions(proof: Proof, served: Served): Question[] {
  const { address } = proof;
  const slots = proof.storageProof.map(({ key }) => key);
  const account: Question = {
    name: `account ${address}`,
    ask: (client) => client.account(address, { slots }),
    check: (result) => {
      expect(result).toMatchObject({
        address: address.toLowerCase(),
        balance: BigInt(proof.balance),
        nonce: BigInt(proof.nonce),
        codeHash: proof.codeHash,
        storageHash: proof.storageHash,
        storage: proof.storageProof.map(({ value }) => BigInt(value)),
        blockNumber: served.number,
      });
    },
  };
  const recorded = served.execution("eth_getCode", [address, served.hash]);
  if (recorded === undefined) return [account];
  const code: Question = {
    name: `code ${address}`,
    ask: (client) => client.code(address),
    check: (result) => {
      expect(result).toBe(recorded);
    },
  };
  return [account, code];
}

function blockQuestions(at: unknown, block: Json): Question[] {
  const isNumber = typeof at === "string" && at.startsWith("0x") && at.length < 66;
  const name = isNumber ? BigInt(at) : isHeadTag(at) ? "latest" : (at as Hex);
  const transactions = (block["transactions"] as (Json | Hex)[]).filter(
    (transaction) => typeof transaction === "object",
  );
  const types = new Set(transactions.map(({ type }) => type));
  const some = [...types].map((type) => transactions.find((one) => one["type"] === type) ?? {});
  return [
    {
      name: `block ${String(at)}`,
      ask: (client) => client.block(name),
      check: (result) => {
        contains(hexOf(result as Json), block, WRONG_IN_BLOCKS);
      },
    },
    ...[...some, ...transactions.slice(-1)].map(transactionQuestion),
  ];
}

const transactionQuestion = (expected: Json): Question => ({
  name: `transaction of type ${String(expected["type"])}`,
  ask: (client) => client.transaction(expected["hash"] as Hex),
  check: (result) => {
    const dynamic = BigInt(expected["type"] as Hex) > 1n;
    contains(hexOf(result as Json), expected, dynamic ? undefined : FEES);
  },
});

const receiptsQuestion = (expected: Json[]): Question => ({
  name: "all receipts",
  ask: (client) => client.receipts("latest"),
  check: (result) => {
    const receipts = (result as TransactionReceipt[]).map(receiptJson);
    expect(receipts.length).toBe(expected.length);
    receipts.forEach((receipt, index) => {
      contains(receipt, expected[index] ?? {});
    });
  },
});

const logsQuestion = (filter: LogsFilter, expected: Json[]): Question => ({
  name: "logs",
  ask: (client) =>
    client.logs({
      address: filter.address ?? undefined,
      topics: filter.topics ?? undefined,
      from: "latest",
      to: "latest",
    }),
  check: (result) => {
    const logs = (result as Json[]).map(hexOf);
    expect(logs.length).toBe(expected.length);
    logs.forEach((log, index) => {
      contains(log, expected[index] ?? {});
    });
  },
});

/** What the program that recorded the cases has wrong, as the data's README says. */
const WRONG_IN_BLOCKS = new Set(["withdrawalsRoot", "requestsHash", "size", "transactions"]);

/** It has zeros where a transaction has only a gas price. */
const FEES = new Set(["maxFeePerGas", "maxPriorityFeePerGas"]);

/** Expects each member that both have to be the same; amounts are compared as numbers. */
function contains(result: Json, expected: Json, wrong = new Set<string>()): void {
  const both = Object.keys(expected).filter((name) => name in result && !wrong.has(name));
  expect(both.length).toBeGreaterThan(0);
  for (const name of both) {
    if (name === "logs") {
      const [logs, others] = [result[name] as Json[], expected[name] as Json[]];
      expect(logs.length).toBe(others.length);
      logs.forEach((log, index) => {
        contains(hexOf(log), others[index] ?? {});
      });
    } else if (expected[name] !== null)
      expect([name, result[name]]).toEqual([name, expected[name]]);
    else expect([name, result[name] ?? null]).toEqual([name, null]);
  }
}

const receiptJson = (receipt: TransactionReceipt): Json => ({
  ...hexOf({ ...receipt, logs: undefined }),
  logs: receipt.logs,
  status: receipt.status === "success" ? "0x1" : "0x0",
});

/** Numbers as they are in JSON-RPC. */
const hexOf = (result: Json): Json =>
  Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      typeof value === "bigint" || typeof value === "number" ? quantity(BigInt(value)) : value,
    ]),
  );

const quantity = (number: bigint): Hex => `0x${number.toString(16)}`;
