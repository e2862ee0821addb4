/**
 * Checks answers about a blockchain's state against a root or checkpoint that you trust.
 *
 * {@link LightClient} asks servers; the verifiers are in a module for each scheme, for example
 * `prooflight/avl`, and for headers in `prooflight/chain`.
 *
 * @module prooflight
 */

export type { AmbEntry } from "./amb/page.js";
export type { Bytes, Hex, Quantity } from "./bytes.js";
export { toHex } from "./bytes.js";
export type { VerifiedAnswer } from "./chain/answer.js";
export type { StateScheme } from "./chain/schemes.js";
export type { ChainConfig, ChainLimits, Checkpoint, SchemeConfig } from "./chain/checkpoint.js";
export { parseCheckpoint } from "./chain/checkpoint.js";
export type { Header } from "./chain/header.js";
export type { SetupTrust } from "./chain/state.js";
export type { Block, BlocksOptions } from "./client/blocks.js";
export type { Ancestor, Evidence } from "./client/equivocation.js";
export { EquivocationError } from "./client/equivocation.js";
export type {
  AnswerBundle,
  Bundle,
  DiffBundle,
  HistoryBundle,
  SavedProof,
  SavedBlocks,
} from "./client/bundle.js";
export type {
  BundleTrust,
  VerifiedAnswerBundle,
  VerifiedBundle,
  VerifiedDiffBundle,
  VerifiedHistoryBundle,
} from "./client/saved.js";
export { toBundle, verifyBundle } from "./client/saved.js";
export type {
  Diff,
  DiffOptions,
  History,
  HistoryOptions,
  HistoryEvidence,
  TimeWeightedAverage,
  VerifiedChange,
  VerifiedDiff,
  VerifiedHistory,
} from "./client/history.js";
export type { Answer } from "./client/answers.js";
export type { GetOptions } from "./client/light-client.js";
export { LightClient } from "./client/light-client.js";
export type {
  Count,
  CountOptions,
  KeyRange,
  RangeEvidence,
  RangeOptions,
  RangePage,
} from "./client/range.js";
export type { Options, ShardServer } from "./client/options.js";
export type { At, Key } from "./client/questions.js";
export type { Failure } from "./transport/servers.js";
export type { Shard } from "./transport/server-list.js";
export type { Refusal, RefusalDetails } from "./error.js";
export { VerifyError } from "./error.js";
export type { FromJson } from "./arguments.js";
export { fromHex } from "./arguments.js";
export type { Layer, StateOperation, Absent, Present } from "./state.js";
export type { Code, Reason } from "./registry.js";
export { REASONS } from "./registry.js";
export type { Ability, Scheme, SchemeInfo } from "./schemes.js";
export { SCHEMES } from "./schemes.js";
export type { KeyChange } from "./smt/diff.js";
export type { Change } from "./smt/history.js";
export type { Average, Gap } from "./smt/twap.js";
export type { WasmInput } from "./wasm/compile.js";
export { init, initSync } from "./wasm/hash.js";
