/** What is asked of a provider about a recorded head, and what the answers must be. */

import type { Case } from "./recorded.js";
import {
  isHeadTag,
  type LogsFilter,
  type Pinned,
  type Proof,
  proofsIn,
  type Recorded,
  type Served,
} from "./serve.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

/** A request, and the recorded answer. */
export interface Ask {
  name: string;
  method: string;
  params: unknown[];
  expected: unknown;
}

type Head = Served | Pinned;

/** What a case's question needs that is not recorded; undefined if a head can answer it. */
export function lackOf(given: Case, head: Head): string | undefined {
  const { asked } = given;
  if (!asked) return "a question (test.json)";
  const { method, params, expected } = asked;
  const [first, second, third] = params;
  const isNull = expected === null;
  switch (method) {
    case "eth_chainId":
    case "net_version":
    case "eth_blockNumber":
    case "eth_baseFee":
      return undefined;
    case "eth_getBalance":
    case "eth_getTransactionCount":
      return lackOfProof(head, String(first), [], second);
    case "eth_getCode": {
      const lack = lackOfProof(head, String(first), [], second);
      if (lack !== undefined) return lack;
      const at = named(head, second)?.json["hash"];
      return head.execution(method, [first, at]) === undefined
        ? `the code of ${String(first)}`
        : undefined;
    }
    case "eth_getStorageAt":
      return lackOfProof(head, String(first), [second as Hex], third);
    case "eth_getProof":
      return lackOfProof(head, String(first), (second ?? []) as Hex[], third);
    case "eth_getBlockByNumber":
    case "eth_getBlockTransactionCountByNumber":
    case "eth_getUncleCountByBlockNumber":
    case "eth_getTransactionByBlockNumberAndIndex":
    case "eth_getBlockByHash":
    case "eth_getBlockTransactionCountByHash":
    case "eth_getUncleCountByBlockHash":
    case "eth_getTransactionByBlockHashAndIndex":
      return isNull ? undefined : lackOfBlock(head, first);
    case "eth_getTransactionByHash":
      return isNull ? undefined : lackOfBlock(head, (expected as Json)["blockNumber"]);
    case "eth_getTransactionReceipt":
      return isNull
        ? undefined
        : (lackOfReceipts(head, (expected as Json)["blockNumber"]) ??
            lackOfFees(head, [expected as Json]));
    case "eth_getBlockReceipts":
      return isNull
        ? undefined
        : (lackOfReceipts(head, first) ?? lackOfFees(head, expected as Json[]));
    case "eth_getLogs":
      return lackOfLogs(head, first as LogsFilter);
    default:
      return `a way to verify ${method}`;
  }
}

/** A block by its tag, number or hash; undefined if it is not one of those that lead to the head. */
function named(head: Head, name: unknown): Recorded | undefined {
  if (isHeadTag(name)) return head.blockAt(head.number);
  if (typeof name !== "string" || !name.startsWith("0x")) return undefined;
  if (name.length < 66) return head.blockAt(BigInt(name));
  const block = head.execution("eth_getBlockByHash", [name, false]) as Json | null;
  const found = block ? head.blockAt(BigInt(block["number"] as Hex)) : undefined;
  return found?.json["hash"] === name ? found : undefined;
}

const missing = ({ number }: Head, name: unknown) =>
  `block ${String(name)} among those that lead to block 0x${number.toString(16)}`;

function lackOfProof(head: Head, address: string, slots: Hex[], name: unknown): string | undefined {
  const block = named(head, name);
  if (!block) return missing(head, name);
  const { number, hash } = block.json;
  const proof = head.execution("eth_getProof", [address, slots, hash]);
  return proof === undefined
    ? `a proof of ${address} and ${slots.length} slots in the state of block ${String(number)}`
    : undefined;
}

function lackOfBlock(head: Head, name: unknown): string | undefined {
  const block = named(head, name);
  if (!block) return missing(head, name);
  return block.full ? undefined : `the transactions of block ${String(name)}`;
}

function lackOfReceipts(head: Head, name: unknown): string | undefined {
  const lack = lackOfBlock(head, name);
  if (lack !== undefined) return lack;
  const hash = named(head, name)?.json["hash"];
  const receipts = head.execution("eth_getBlockReceipts", [hash]);
  return receipts === undefined ? `the receipts of block ${String(name)}` : undefined;
}

/** The price of blobs is only known if the block before is. */
function lackOfFees(head: Head, receipts: readonly Json[]): string | undefined {
  const blobs = receipts.find(({ type }) => type === "0x3");
  if (!blobs) return undefined;
  const number = BigInt(blobs["blockNumber"] as Hex);
  const hasParent = head.blockAt(number - 1n) !== undefined;
  return hasParent ? undefined : `the block before ${number}, on which the price of blobs rests`;
}

/** The provider walks up to 256 blocks. */
const MOST_BLOCKS = 256n;

function lackOfLogs(head: Head, { fromBlock, toBlock, blockHash }: LogsFilter): string | undefined {
  if (blockHash !== undefined) return lackOfReceipts(head, blockHash);
  const [from, to] = [named(head, fromBlock), named(head, toBlock)];
  if (!from) return missing(head, fromBlock);
  if (!to) return missing(head, toBlock);
  const last = BigInt(to.json["number"] as Hex);
  const first = BigInt(from.json["number"] as Hex);
  if (last - first >= MOST_BLOCKS) return `a range of at most ${MOST_BLOCKS} blocks`;
  for (let number = first; number <= last; number++) {
    const lack = lackOfReceipts(head, `0x${number.toString(16)}`);
    if (lack !== undefined) return lack;
  }
  return undefined;
}

/** Everything that is recorded about a head, asked one by one; the recorded answers are those of nodes. */
export function recordedAsks({ replies }: Case, head: Head): Ask[] {
  const block = head.blockAt(head.number);
  if (!block) return [];
  const { number, hash, stateRoot } = block.json as { number: Hex; hash: Hex; stateRoot: Hex };
  const isHere = (reply: unknown): reply is Json =>
    typeof reply === "object" && reply !== null && (reply as Json)["blockHash"] === hash;
  const ask = (method: string, params: unknown[], expected: unknown): Ask => ({
    name: `${method} ${params.map((param) => JSON.stringify(param).slice(0, 44)).join(" ")}`,
    method,
    params,
    expected,
  });
  const blocks = replies.filter(
    (reply): reply is Json =>
      typeof reply === "object" &&
      reply !== null &&
      (reply as Json)["hash"] === hash &&
      "stateRoot" in reply,
  );
  const transactions = replies.filter(isHere).filter((reply) => "input" in reply);
  const receipts = (head.execution("eth_getBlockReceipts", [hash]) ?? []) as Json[];
  const all = [
    ...proofsIn(replies, stateRoot).flatMap((proof) => asksAbout(proof, head, number, ask)),
    ...blocks.map((reply) => {
      const isFull = (reply["transactions"] as unknown[]).some((one) => typeof one === "object");
      return ask("eth_getBlockByNumber", [number, isFull], reply);
    }),
    ...transactions.map((reply) => ask("eth_getTransactionByHash", [reply["hash"]], reply)),
    ...(receipts.length > 0 && lackOfFees(head, receipts) === undefined
      ? [ask("eth_getBlockReceipts", [number], receipts)]
      : []),
    ...receipts
      .filter((receipt) => lackOfFees(head, [receipt]) === undefined)
      .filter(({ type }, at, all) => all.findIndex((other) => other["type"] === type) === at)
      .map((reply) => ask("eth_getTransactionReceipt", [reply["transactionHash"]], reply)),
    // Made from the payload by other libraries.
    ...(block.full ? [ask("eth_getBlockByNumber", [number, true], block.full)] : []),
  ];
  const names = new Set<string>();
  return all.filter(({ name }) => !names.has(name) && names.add(name));
}

function asksAbout(
  proof: Proof,
  head: Head,
  number: Hex,
  ask: (method: string, params: unknown[], expected: unknown) => Ask,
): Ask[] {
  const { address, balance, nonce, storageProof } = proof;
  const code = head.execution("eth_getCode", [address, number]);
  return [
    ask("eth_getBalance", [address, "latest"], balance),
    ask("eth_getTransactionCount", [address, "latest"], nonce),
    ...(code === undefined ? [] : [ask("eth_getCode", [address, "latest"], code)]),
    ...storageProof.map(({ key, value }) =>
      ask("eth_getStorageAt", [address, padded(key), "latest"], padded(value)),
    ),
    ask("eth_getProof", [address, storageProof.map(({ key }) => padded(key)), "latest"], proof),
  ];
}

const padded = (quantity: Hex): Hex => `0x${quantity.slice(2).padStart(64, "0")}`;
