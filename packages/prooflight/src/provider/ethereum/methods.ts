/** How each method is answered, and why others are refused. */

import { refuse, type VerifyError } from "../../error.js";
import { quantity } from "../request.js";
import {
  blockNumber,
  countByHash,
  countByNumber,
  getBlockByHash,
  getBlockByNumber,
  syncing,
  uncleByHash,
  uncleByNumber,
  unclesByHash,
  unclesByNumber,
} from "./blocks.js";
import { callMethod, createAccessList, estimateGas } from "./calls.js";
import type { Method } from "./chain.js";
import { baseFee, blobBaseFee, feeHistory, gasPrice, maxPriorityFeePerGas } from "./fees.js";
import { getLogs } from "./logs.js";
import { sendRawTransaction } from "./send.js";
import {
  getBalance,
  getCode,
  getProof,
  getStorageAt,
  getStorageValues,
  getTransactionCount,
} from "./state.js";
import {
  byHashAndIndex,
  byNumberAndIndex,
  getBlockReceipts,
  getReceipt,
  getTransaction,
} from "./transactions.js";

/** The methods without a state of their own, with the most parameters of each. */
export const METHODS: readonly (readonly [string, number, Method])[] = [
  ["eth_chainId", 0, ({ settings }) => quantity(settings.chainId)],
  ["net_version", 0, ({ settings }) => String(settings.chainId)],
  ["eth_blockNumber", 0, blockNumber],
  ["eth_syncing", 0, syncing],
  ["eth_getBalance", 2, getBalance],
  ["eth_getTransactionCount", 2, getTransactionCount],
  ["eth_getStorageAt", 3, getStorageAt],
  ["eth_getStorageValues", 2, getStorageValues],
  ["eth_getCode", 2, getCode],
  ["eth_getProof", 3, getProof],
  ["eth_call", 4, callMethod],
  ["eth_estimateGas", 4, estimateGas],
  ["eth_createAccessList", 3, createAccessList],
  ["eth_getBlockByNumber", 2, getBlockByNumber],
  ["eth_getBlockByHash", 2, getBlockByHash],
  ["eth_getBlockTransactionCountByNumber", 1, countByNumber],
  ["eth_getBlockTransactionCountByHash", 1, countByHash],
  ["eth_getUncleCountByBlockNumber", 1, unclesByNumber],
  ["eth_getUncleCountByBlockHash", 1, unclesByHash],
  ["eth_getUncleByBlockNumberAndIndex", 2, uncleByNumber],
  ["eth_getUncleByBlockHashAndIndex", 2, uncleByHash],
  ["eth_getTransactionByHash", 1, getTransaction],
  ["eth_getTransactionByBlockNumberAndIndex", 2, byNumberAndIndex],
  ["eth_getTransactionByBlockHashAndIndex", 2, byHashAndIndex],
  ["eth_getTransactionReceipt", 1, getReceipt],
  ["eth_getBlockReceipts", 1, getBlockReceipts],
  ["eth_getLogs", 1, getLogs],
  ["eth_baseFee", 0, baseFee],
  ["eth_blobBaseFee", 0, blobBaseFee],
  ["eth_gasPrice", 0, gasPrice],
  ["eth_maxPriorityFeePerGas", 0, maxPriorityFeePerGas],
  ["eth_feeHistory", 3, feeHistory],
  ["eth_sendRawTransaction", 1, sendRawTransaction],
];

const WITHOUT_EXECUTION = "a method without execution, which this version does not verify";
const FROM_A_BLOCK = "a method whose answer follows from a block";
const ABOUT_THE_CHAIN = "a method about the chain, not about a server";

/** What is expected instead of methods that cannot be verified, by the name or the part before its underscore. */
const EXPECTED_INSTEAD: Readonly<Record<string, string>> = {
  eth_simulateV1: WITHOUT_EXECUTION,
  debug: WITHOUT_EXECUTION,
  trace: WITHOUT_EXECUTION,
  eth_getBlockAccessList: "a method whose answer a header of a known fork covers",
  eth_newPendingTransactionFilter: FROM_A_BLOCK,
  txpool: FROM_A_BLOCK,
  eth_config: ABOUT_THE_CHAIN,
  eth_capabilities: ABOUT_THE_CHAIN,
  web3: ABOUT_THE_CHAIN,
  net: ABOUT_THE_CHAIN,
  eth_requestAccounts: "the option wallet, which accounts are asked of",
  eth_sendTransaction: "the option wallet, which signs",
};

/** The refusal of a method that is not in the table. */
export function unverifiable(method: string): VerifyError {
  const [space = ""] = method.split("_");
  const expected =
    expectedInstead(method) ?? expectedInstead(space) ?? "a method that this version verifies";
  return refuse("unverifiable_method", expected, method);
}

const expectedInstead = (name: string) =>
  Object.hasOwn(EXPECTED_INSTEAD, name) ? EXPECTED_INSTEAD[name] : undefined;
