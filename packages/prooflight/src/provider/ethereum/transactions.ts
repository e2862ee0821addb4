/** Transactions and receipts, with the fields that follow from all of their block. */

import { type Bytes, type Hex, toHex } from "../../bytes.js";
import { refuse } from "../../error.js";
import type { Block } from "../../ethereum/blocks.js";
import type { BlockBody } from "../../ethereum/bodies.js";
import type { Json } from "../../ethereum/decode.js";
import { encodeTransaction } from "../../ethereum/encode.js";
import { JsonValue, NullAnswer } from "../../ethereum/json.js";
import {
  onBranch,
  type TransactionReceipt,
  verifyPending,
  verifyTransaction,
} from "../../ethereum/transactions.js";
import { hashAt } from "../request.js";
import { aboutBlock, aboutBody, indexAt } from "./blocks.js";
import type { Method, View } from "./chain.js";
import { pendingJson, receiptJson, transactionJson } from "./json.js";

export const [byNumberAndIndex, byHashAndIndex] = aboutBody((body, params, name) => {
  const { block, transactions, hashes } = body;
  const at = indexAt(name, params);
  const [hash, raw] = [hashes[at], transactions[at]];
  if (!hash || !raw) return null;
  return transactionJson(block, verifyTransaction(block, transactions, hash), raw);
});

export const getTransaction: Method = async (chain, params, name) => {
  const hash = hashAt(name, params, 0);
  let pending: Json | null = null;
  const found = await chain.askByHash({ method: name, params }, hash, async (view) => {
    const given = await claimed(view, name, hash);
    const block = await placeOf(view, given);
    if (!block) {
      pending = pendingOf(view, hash, encodeTransaction(given));
      throw absent(hash);
    }
    const { transactions } = await view.body(block);
    const transaction = onBranch(given, block, () => verifyTransaction(block, transactions, hash));
    const raw = transactions[transaction.transactionIndex];
    if (!raw) throw refuse("bug", "a transaction of the block", toHex(block.hash));
    return transactionJson(block, transaction, raw);
  });
  // Its hash shows what it is, but nothing shows that it is in no block.
  return found ?? pending;
};

/** A transaction that a server calls pending; throws `wrong_chain` if it is for another chain. */
function pendingOf({ settings }: View, hash: Hex, raw: Bytes): Json {
  const transaction = verifyPending(hash, raw);
  const { chainId = settings.chainId } = transaction;
  if (chainId === settings.chainId) return pendingJson(transaction, raw);
  const expected = `a transaction for chain ${settings.chainId}`;
  throw refuse("wrong_chain", expected, `one for chain ${chainId}`);
}

export const getReceipt: Method = async (chain, params, name) => {
  const hash = hashAt(name, params, 0);
  return chain.askByHash({ method: name, params }, hash, async (view) => {
    const given = await claimed(view, "eth_getTransactionByHash", hash);
    const block = await placeOf(view, given);
    if (!block) throw absent(hash);
    const { transactions } = await view.body(block);
    const { transactionIndex } = onBranch(given, block, () =>
      verifyTransaction(block, transactions, hash),
    );
    const all = await view.receipts(block);
    const receipt = all.receipts[transactionIndex];
    if (!receipt) throw refuse("bug", "a receipt of each transaction", `${transactionIndex}`);
    const [json] = await receiptsJson(view, block, all.body, [receipt]);
    return json;
  });
};

const [receiptsByNumber, receiptsByHash] = aboutBlock(async (view, name) => {
  const block = await view.find(name);
  if (!block) return null;
  const { body, receipts } = await view.receipts(block);
  return receiptsJson(view, block, body, receipts);
});

export const getBlockReceipts: Method = (chain, params, name) => {
  const isHash = typeof params[0] === "string" && params[0].length === 66;
  return (isHash ? receiptsByHash : receiptsByNumber)(chain, params, name);
};

/** Receipts of a block. The price of blobs needs the block before, which is asked for only if one of them has blobs. */
async function receiptsJson(
  view: View,
  block: Block,
  { transactions }: BlockBody,
  receipts: readonly TransactionReceipt[],
) {
  const hasBlobs = receipts.some(({ type }) => type === 3);
  const fees = hasBlobs ? await view.fees(block) : undefined;
  return receipts.map((receipt) => {
    const raw = transactions[receipt.transactionIndex] ?? new Uint8Array();
    return receiptJson(block, receipt, raw, fees?.blobFee);
  });
}

/** What the server says about a transaction. */
async function claimed(view: View, method: string, hash: Hex): Promise<JsonValue> {
  const reply = await view.server.call(method, [hash]);
  if (reply === null) throw absent(hash);
  return new JsonValue(reply, method);
}

/** The block that the server places a transaction in; null if the verified chain has none of that number yet. */
async function placeOf(view: View, given: JsonValue): Promise<Block | null> {
  const number = given.optional("blockNumber")?.quantity();
  return number === undefined ? null : view.find(number);
}

const absent = (hash: Hex) =>
  refuse("unknown_transaction", `a block with the transaction ${hash}`, "none", {
    cause: new NullAnswer(hash),
  });
