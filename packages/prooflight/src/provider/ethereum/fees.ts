/** Fees: of gas and blobs from headers, tips from verified blocks. */

import { refuse } from "../../error.js";
import { blobsAt } from "../../ethereum/chains.js";
import type { Block } from "../../ethereum/blocks.js";
import { verifyTransactions } from "../../ethereum/transactions.js";
import type { ChainView } from "../../ethereum/view.js";
import { blockAt, integerAt, quantity, wrong } from "../request.js";
import type { Chain, Method } from "./chain.js";
import { BLOB_GAS } from "./json.js";

/** The most blocks of a history. */
const MAX_HISTORY_BLOCKS = 1024n;

/** The most blocks of a history with rewards, which need bodies and receipts. */
const MAX_REWARD_BLOCKS = 32n;

/** The most percentiles of a history. */
const MAX_PERCENTILES = 100;

/** The number of newest blocks in which tips are looked for. */
const MAX_TIP_BLOCKS = 4;

/** The base fee of the next block. */
export const baseFee: Method = async (chain) =>
  chain.ask(async (view) => quantity(await nextBaseFee(chain, view)));

/** The fee of blob gas in the next block. */
export const blobBaseFee: Method = async (chain) =>
  chain.ask(async (view) => {
    const block = await view.block("latest");
    const { nextBlobFee } = await chain.fees(view, block);
    if (nextBlobFee !== undefined) return quantity(nextBlobFee);
    const expected = "the blob parameters of the newest block";
    throw refuse("unsupported_fork", expected, `block ${block.header.number}`);
  });

/** The base fee of the next block, and a tip. */
export const gasPrice: Method = async (chain) =>
  chain.ask(async (view) => quantity((await nextBaseFee(chain, view)) + (await usualTip(view))));

export const maxPriorityFeePerGas: Method = async (chain) =>
  chain.ask(async (view) => quantity(await usualTip(view)));

async function nextBaseFee(chain: Chain, view: ChainView): Promise<bigint> {
  const { nextBaseFee = 0n } = await chain.fees(view, await view.block("latest"));
  return nextBaseFee;
}

/** The median tip in the newest block with transactions; 0 if the newest ones have none. */
async function usualTip(view: ChainView): Promise<bigint> {
  let block = await view.block("latest");
  for (let count = 0; count < MAX_TIP_BLOCKS; count++) {
    const { transactions } = await view.body(block);
    if (transactions.length > 0) {
      const tips = verifyTransactions(block, transactions)
        .map(({ effectiveGasPrice }) => effectiveGasPrice - (block.header.baseFeePerGas ?? 0n))
        .sort(ascending);
      return tips[Math.floor((tips.length - 1) / 2)] ?? 0n;
    }
    if (block.header.number === 0n) break;
    block = await view.parent(block);
  }
  return 0n;
}

const ascending = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0);

export const feeHistory: Method = async (chain: Chain, params, name) => {
  const count = countAt(name, params);
  const newest = blockAt(name, params, 1, true);
  const percentiles = percentilesAt(name, params[2]);
  const maxBlocks = percentiles ? MAX_REWARD_BLOCKS : MAX_HISTORY_BLOCKS;
  return chain.ask(async (view) => {
    const last = await view.find(newest);
    if (!last) throw wrong(name, "a block up to the head", params[1]);
    const { number } = last.header;
    const size = count < maxBlocks ? count : maxBlocks;
    if (size === 0n) return { oldestBlock: "0x0", gasUsedRatio: [] };
    const oldest = number + 1n < size ? 0n : number + 1n - size;
    const blocks = await view.range(oldest, last);
    const fees = await chain.fees(view, last);
    const rewards =
      percentiles &&
      (await Promise.all(blocks.map((block) => rewardsOf(view, block, percentiles))));
    const baseFees = blocks.map(({ header }) => header.baseFeePerGas ?? 0n);
    return {
      oldestBlock: quantity(oldest),
      baseFeePerGas: [...baseFees, fees.nextBaseFee ?? 0n].map(quantity),
      gasUsedRatio: blocks.map(({ header }) => ratio(header.gasUsed, header.gasLimit)),
      ...(await blobHistory(chain, view, blocks)),
      ...(rewards && { reward: rewards }),
    };
  });
};

/** The fees of blobs in some blocks and the next one; no members if the parameters of a block are not known. */
async function blobHistory(chain: Chain, view: ChainView, blocks: readonly Block[]) {
  const { blobs } = chain.settings;
  const ratios: number[] = [];
  const fees: bigint[] = [];
  let next: bigint | undefined;
  for (const block of blocks) {
    const { blobGasUsed, timestamp } = block.header;
    const { blobFee, nextBlobFee } =
      blobGasUsed === undefined ? { blobFee: 0n, nextBlobFee: 0n } : await chain.fees(view, block);
    if (blobFee === undefined) return {};
    fees.push(blobFee);
    next = nextBlobFee;
    const max = blobsAt(blobs, timestamp)?.max ?? 0n;
    ratios.push(blobGasUsed === undefined ? 0 : ratio(blobGasUsed, max * BLOB_GAS));
  }
  return {
    baseFeePerBlobGas: [...fees, next ?? 0n].map(quantity),
    blobGasUsedRatio: ratios,
  };
}

/** The tips at percentiles of a block's gas. */
async function rewardsOf(view: ChainView, block: Block, percentiles: readonly number[]) {
  const body = await view.body(block);
  const receipts = await view.receipts(block, body);
  const { baseFeePerGas = 0n, gasUsed } = block.header;
  const tips = verifyTransactions(block, body.transactions)
    .map(({ effectiveGasPrice }, index) => ({
      tip: effectiveGasPrice - baseFeePerGas,
      gas: receipts[index]?.gasUsed ?? 0n,
    }))
    .sort((one, other) => ascending(one.tip, other.tip));
  return percentiles.map((percentile) => {
    const threshold = Math.floor((Number(gasUsed) * percentile) / 100);
    let sum = 0;
    const found = tips.find(({ gas }) => (sum += Number(gas)) >= threshold);
    return quantity((found ?? tips.at(-1))?.tip ?? 0n);
  });
}

const ratio = (used: bigint, max: bigint) => (max === 0n ? 0 : Number(used) / Number(max));

function countAt(name: string, params: readonly unknown[]): bigint {
  const [given] = params;
  if (typeof given === "number" && Number.isSafeInteger(given) && given >= 0) return BigInt(given);
  return integerAt(name, params, 0);
}

function percentilesAt(name: string, given: unknown): number[] | undefined {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given) || given.length > MAX_PERCENTILES) {
    throw wrong(name, `at most ${MAX_PERCENTILES} percentiles`, given);
  }
  if (given.length === 0) return undefined;
  let before = 0;
  for (const percentile of given as unknown[]) {
    if (typeof percentile !== "number" || !(percentile >= before && percentile <= 100)) {
      throw wrong(name, "ascending percentiles of 0 to 100", percentile);
    }
    before = percentile;
  }
  return given as number[];
}
