/** The questions of recorded cases, asked of a client, and what their results must contain. */

import { expect } from "vitest";

import type { EthereumClient, TransactionReceipt } from "../../src/ethereum.js";
import type { Case, Served } from "./recorded.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

/** A question to a client. */
export interface Question {
  name: string;
  ask: (client: EthereumClient) => Promise<unknown>;
  /** Compares the result with the recorded one. */
  check: (result: unknown) => void;
}

/** The questions of a case; a text says what it lacks. */
export function questionsOf(given: Case, served: Served): Question[] | string {
  const { method, params, expected, replies } = given;
  const [first, second] = params;
  switch (method) {
    case "eth_getBalance":
    case "eth_getTransactionCount":
    case "eth_getStorageAt":
    case "eth_getCode":
    case "eth_getProof":
    case "eth_call": {
      const accounts = accountsOf(replies, served);
      return accounts.length > 0 ? accounts : "no proof at the block that is signed";
    }
    case "eth_getBlockByNumber":
    case "eth_getBlockByHash": {
      const block = expected as Json;
      const isHere = block["number"] === quantity(served.number);
      return isHere ? blockQuestions(first, block) : "another block than the one that is signed";
    }
    case "eth_getTransactionByHash":
      return [transactionQuestion(expected as Json)];
    case "eth_getTransactionReceipt":
      return [
        {
          name: "receipt",
          ask: (client) => client.receipt(first as Hex),
          check: (result) => {
            contains(receiptJson(result as TransactionReceipt), expected as Json);
          },
        },
      ];
    case "eth_getBlockReceipts":
      return [receiptsQuestion(expected as Json[])];
    case "eth_getLogs":
      return [
        logsQuestion(first as LogsFilter, expected as Json[]),
        ...receiptsOf(replies, served),
      ];
    default:
      return `no question for ${method} (${JSON.stringify(second)})`;
  }
}

interface Proof extends Json {
  address: Hex;
  balance: Hex;
  nonce: Hex;
  codeHash: Hex;
  storageHash: Hex;
  storageProof: { key: Hex; value: Hex }[];
}

/** Each account whose proof at the signed block was recorded, with its code. */
function accountsOf(replies: Case["replies"], served: Served): Question[] {
  const proofs = [...replies].filter(([name]) => name.startsWith("eth_getProof"));
  return proofs.flatMap(([, result]) => {
    const { address } = result as Proof;
    const slots = (result as Proof).storageProof.map(({ key }) => key);
    const proof = served.execution("eth_getProof", [address, slots, "latest"]) as Proof | undefined;
    // The same account at another block.
    if (!proof || proof["accountProof"] !== (result as Json)["accountProof"]) return [];
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
    const recorded = served.execution("eth_getCode", [address]);
    if (recorded === undefined) return [account];
    const code: Question = {
      name: `code ${address}`,
      ask: (client) => client.code(address),
      check: (result) => {
        expect(result).toBe(recorded);
      },
    };
    return [account, code];
  });
}

function blockQuestions(at: unknown, block: Json): Question[] {
  const name = String(at).length === 66 ? (at as Hex) : BigInt(at as Hex);
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

/** The recorded receipts of the signed block. */
function receiptsOf(replies: Case["replies"], served: Served): Question[] {
  const found = [...replies].find(
    ([name, result]) =>
      name.startsWith("eth_getBlockReceipts") &&
      (result as Json[])[0]?.["blockNumber"] === quantity(served.number),
  );
  return found ? [receiptsQuestion(found[1] as Json[])] : [];
}

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

interface LogsFilter {
  address?: Hex | Hex[];
  topics?: (Hex | Hex[] | null)[];
  fromBlock: Hex;
  toBlock: Hex;
}

const logsQuestion = (filter: LogsFilter, expected: Json[]): Question => ({
  name: "logs",
  ask: (client) =>
    client.logs({
      address: filter.address,
      topics: filter.topics,
      from: BigInt(filter.fromBlock),
      to: BigInt(filter.toBlock),
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
