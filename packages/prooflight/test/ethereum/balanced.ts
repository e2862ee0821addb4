/** Servers with several nodes behind one URL, which are at different heights. */

import { createBlockHeader } from "@ethereumjs/block";
import { createCommonFromGethGenesis } from "@ethereumjs/common";

import { hex } from "./beacon-blocks.js";
import { readGenesis } from "./execution-apis.js";
import type { ExecutionChain } from "./execution-chain.js";
import type { Answer, Question } from "./provider-of.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

/** What nodes say that have more blocks than the executed chain. */
export interface Chain {
  /** The number of the newest block. */
  newest: number;
  hashOf: (number: number) => Hex;
  execution: (method: string, params: readonly unknown[]) => Promise<unknown>;
}

const numberOf = (reply: unknown) => {
  const { number, blockNumber = number } = Object(reply) as Record<string, string>;
  return blockNumber === undefined ? undefined : Number(blockNumber);
};

/** A node of a chain that has the blocks up to a height. */
export const nodeAt =
  ({ execution, newest }: Chain, height: number): Answer =>
  async ({ method, params }) => {
    const block = params.at(-1);
    const { blockHash = block } = Object(block) as { blockHash?: unknown };
    if (method === "eth_getLogs") {
      const [filter] = params as [{ fromBlock: Hex; toBlock?: Hex; blockHash?: Hex }];
      // By hash, a block is known or not; a range ends where the node's chain does.
      if (filter.blockHash) {
        const named = await execution("eth_getBlockByHash", [filter.blockHash, false]);
        return (numberOf(named) ?? Infinity) <= height ? execution(method, params) : undefined;
      }
      const last = Math.min(Number(filter.toBlock ?? newest), height);
      return execution(method, [{ ...filter, toBlock: `0x${last.toString(16)}` }]);
    }
    if (/^eth_get(Proof|Code)$/.test(method)) {
      const name = String(blockHash).length === 66 ? "eth_getBlockByHash" : "eth_getBlockByNumber";
      const named = await execution(name, [blockHash, false]);
      return (numberOf(named) ?? Infinity) <= height ? execution(method, params) : undefined;
    }
    const reply = await execution(method, params);
    const [first] = Array.isArray(reply) ? (reply as unknown[]) : [reply];
    return (numberOf(first) ?? 0) <= height ? reply : null;
  };

/** Nodes at these heights, of which `pick` chooses one for each question. */
export function balanced(
  chain: Chain,
  heights: readonly number[],
  pick: (question: Question, count: number) => number,
): Answer {
  const nodes = heights.map((height) => nodeAt(chain, height));
  let count = 0;
  return (question, url) => nodes[pick(question, count++) % nodes.length]?.(question, url);
}

/** The executed chain, and after one of its blocks many that repeat one or another. */
export async function lengthen(
  chain: ExecutionChain,
  { after, length, repeated }: { after: number; length: number; repeated: (at: number) => number },
): Promise<Chain> {
  const genesis = readGenesis();
  const common = createCommonFromGethGenesis(genesis as never, { chain: "execution-apis" });
  const at = async (number: number) =>
    (await chain.execution("eth_getBlockByNumber", [`0x${number.toString(16)}`, true])) as Json;
  const added: { json: Json; receipts: Json[] }[] = [];
  let parentHash = (await at(after))["hash"];
  for (let number = after + 1; added.length < length; number++) {
    const copied = await at(repeated(number));
    const place = { parentHash, number: `0x${number.toString(16)}` };
    const fields = { ...copied, ...place } as Record<string, string>;
    const header = createBlockHeader(
      {
        ...fields,
        uncleHash: fields["sha3Uncles"],
        coinbase: fields["miner"],
        transactionsTrie: fields["transactionsRoot"],
        receiptTrie: fields["receiptsRoot"],
      } as never,
      { common, setHardfork: true, skipConsensusFormatValidation: true },
    );
    const hash = hex(header.hash());
    const move = (one: Json): Json => ({ ...one, blockHash: hash, blockNumber: place.number });
    const receipts = (await chain.execution("eth_getBlockReceipts", [copied["hash"]])) as Json[];
    added.push({
      json: { ...copied, ...place, hash },
      receipts: receipts.map((receipt) => ({
        ...move(receipt),
        logs: (receipt["logs"] as Json[]).map(move),
      })),
    });
    parentHash = hash;
  }
  const find = (name: unknown) =>
    added.find(({ json }) => json["hash"] === name || json["number"] === name);
  return {
    newest: after + length,
    hashOf: (number) => added[number - after - 1]?.json["hash"] as Hex,
    execution(method, params) {
      const [first, second] = params;
      const found = find(first);
      if (method === "eth_getLogs") {
        const { fromBlock, toBlock, blockHash, address } = first as Record<string, string>;
        const chosen = added.filter(({ json: { hash, number } }) =>
          blockHash
            ? hash === blockHash
            : Number(number) >= Number(fromBlock) && Number(number) <= Number(toBlock),
        );
        const logs = chosen.flatMap(({ receipts }) =>
          receipts.flatMap((receipt) => receipt["logs"] as Json[]),
        );
        return Promise.resolve(
          logs.filter((log) => !address || address.includes(log["address"] as string)),
        );
      }
      if (!found) return chain.execution(method, params);
      if (method === "eth_getBlockReceipts") return Promise.resolve(found.receipts);
      const { transactions, ...block } = found.json as Json & { transactions: { hash: Hex }[] };
      const list = second === true ? transactions : transactions.map(({ hash }) => hash);
      return Promise.resolve({ ...block, transactions: list });
    },
  };
}
