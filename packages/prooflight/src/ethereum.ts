/**
 * Ethereum: a light client that follows the beacon chain from a checkpoint, and verifies blocks, accounts,
 * transactions, receipts and complete logs of any execution node.
 *
 * Its WebAssembly is a separate file, which {@link EthereumClient.connect} loads.
 *
 * @module prooflight/ethereum
 */

export type { Hex } from "./bytes.js";
export type { Failure } from "./transport/servers.js";
export type { Account } from "./ethereum/accounts.js";
export type { BlockHeader } from "./ethereum/blocks.js";
export type { BlobParams } from "./ethereum/chains.js";
export type {
  AccountOptions,
  CallOptions,
  SignalOptions,
  SimulationOptions,
} from "./ethereum/client.js";
export { EthereumClient } from "./ethereum/client.js";
export type {
  AccessListEntry,
  AccessListInput,
  AuthorizationInput,
  CallInput,
} from "./ethereum/execution/call.js";
export type {
  AccessListAnswer,
  CallAnswer,
  CallBasis,
  GasAnswer,
} from "./ethereum/execution/calls.js";
export type { CallProgress } from "./ethereum/execution/execute.js";
export { CallFailure, type FailedCall } from "./ethereum/execution/outcome.js";
export type {
  AccountOverride,
  BlockOverrides,
  StateOverrides,
} from "./ethereum/execution/overrides.js";
export type {
  AccountDifference,
  Approval,
  SimulatedCall,
  SimulatedLog,
  Simulation,
  TokenDifference,
} from "./ethereum/execution/simulate.js";
export type { Form, Head } from "./ethereum/heads.js";
export type { FoundLog } from "./ethereum/logs/verify.js";
export type { LogsOptions } from "./ethereum/logs/query.js";
export type { LogsProgress, BlockName, EthereumOptions, AtOptions } from "./ethereum/options.js";
export type { Fork, ForkStart, NetworkConfig, NetworkName } from "./ethereum/network.js";
export type { FinalityConflict, SignedUpdate } from "./ethereum/signed-updates.js";
export type {
  Log,
  Transaction,
  TransactionPosition,
  TransactionReceipt,
} from "./ethereum/transactions.js";
export type { BytesLike, WordLike } from "./mpt/bytes.js";
export { init, initSync } from "./wasm/ethereum.js";
