/** Transactions and receipts, with the fields that follow from all of their block. */

import { toHex } from "../../bytes.js";
import { refuse } from "../../error.js";
import type { BlockBody } from "../../ethereum/bodies.js";
import type { Json } from "../../ethereum/decode.js";
import { encodeTransaction } from "../../ethereum/encode.js";
import {
  type TransactionReceipt,
  verifyPending,
  verifyTransaction,
} from "../../ethereum/transactions.js";
import { absent, type ChainView, type TransactionClaim } from "../../ethereum/view.js";
import { hashAt } from "../request.js";
import { aboutBody, indexAt } from "./blocks.js";
import type { Chain, Method } from "./chain.js";
import { pendingJson, receiptJson, transactionJson } from "./json.js";

export const [byNumberAndIndex, byHashAndIndex] = aboutBody((body, { params, name }) => {
  const { block, transactions, hashes } = body;
  const index = indexAt(name, params);
  const [hash, raw] = [hashes[index], transactions[index]];
  if (!hash || !raw) return null;
  return transactionJson(block, verifyTransaction(block, transactions, hash), raw);
});

export const getTransaction: Method = async (chain, params, name) => {
  const hash = hashAt(name, params, 0);
  let pending: Json | null = null;
  const found = await chain.askByHash({ method: name, params }, hash, async (view) => {
    const claim = await view.claim(hash);
    const body = await bodyOf(view, claim);
    if (!body) {
      pending = pendingOf(chain, claim);
      throw absent(hash);
    }
    const { block, transactions } = body;
    const transaction = await view.transaction(claim, body);
    const raw = transactions[transaction.transactionIndex];
    if (!raw) throw refuse("bug", "a transaction of the block", toHex(block.hash));
    return transactionJson(block, transaction, raw);
  });
  // The hash proves a pending transaction's content, but nothing proves that it is in no block.
  return found ?? pending;
};

/** A transaction that a server calls pending; throws `wrong_chain` if it is for another chain. */
function pendingOf({ settings }: Chain, { hash, json }: TransactionClaim): Json {
  const raw = encodeTransaction(json);
  const transaction = verifyPending(hash, raw);
  const { chainId = settings.chainId } = transaction;
  if (chainId === settings.chainId) return pendingJson(transaction, raw);
  const expected = `a transaction for chain ${settings.chainId}`;
  throw refuse("wrong_chain", expected, `one for chain ${chainId}`);
}

export const getReceipt: Method = async (chain, params, name) => {
  const hash = hashAt(name, params, 0);
  return chain.askByHash({ method: name, params }, hash, async (view) => {
    const claim = await view.claim(hash);
    const body = await bodyOf(view, claim);
    if (!body) throw absent(hash);
    // A server on another branch is not asked for receipts.
    await view.transaction(claim, body);
    const [json] = await receiptsJson(chain, view, body, [await view.receipt(claim, body)]);
    return json;
  });
};

const [receiptsByNumber, receiptsByHash] = aboutBody(async (body, { chain, view }) =>
  receiptsJson(chain, view, body, await view.receipts(body.block, body)),
);

export const getBlockReceipts: Method = (chain, params, name) => {
  const isHash = typeof params[0] === "string" && params[0].length === 66;
  return (isHash ? receiptsByHash : receiptsByNumber)(chain, params, name);
};

/** Receipts of a block. The price of blobs needs the parent block, which is asked for only if a receipt has blobs. */
async function receiptsJson(
  chain: Chain,
  view: ChainView,
  { block, transactions }: BlockBody,
  receipts: readonly TransactionReceipt[],
) {
  const hasBlobs = receipts.some(({ type }) => type === 3);
  const fees = hasBlobs ? await chain.fees(view, block) : undefined;
  return receipts.map((receipt) => {
    const raw = transactions[receipt.transactionIndex] ?? new Uint8Array();
    return receiptJson(block, receipt, raw, fees?.blobFee);
  });
}

/** The body of the block that a claim names; null if the verified chain has none of that number yet. */
async function bodyOf(
  view: ChainView,
  { blockNumber }: TransactionClaim,
): Promise<BlockBody | null> {
  const block = blockNumber === undefined ? null : await view.find(blockNumber);
  return block && view.body(block);
}
