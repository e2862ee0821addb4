import * as amb from "./amb.js";
import * as answer from "./answer.js";
import * as avl from "./avl.js";
import * as block from "./block.js";
import * as chain from "./chain.js";
import * as compare from "./compare.js";
import * as hashes from "./eth-hashes.js";
import * as range from "./history.js";
import type { Kind } from "./json.js";
import * as lmpt from "./lmpt.js";
import * as lvmt from "./lvmt.js";
import * as mpt from "./mpt.js";
import * as keyRange from "./range.js";
import * as smt from "./smt.js";

/** Every kind of statement that this build knows; a new scheme adds its own. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    AvlBatch: avl.AvlBatch,
    ErgoAdProofs: avl.ErgoAdProofs,
    HeaderSync: chain.HeaderSync,
    HeaderInclusion: chain.HeaderInclusion,
    HeadersInclusion: chain.HeadersInclusion,
    HeaderWanted: compare.HeaderWanted,
    HeaderRelation: compare.HeaderRelation,
    StateAnswer: answer.StateAnswer,
    BlockTransition: block.BlockTransition,
    StateBlock: block.StateBlock,
    StateHistory: range.StateHistory,
    StateDiff: range.StateDiff,
    StateRange: keyRange.StateRange,
    StateCount: keyRange.StateCount,
    AmbProof: amb.AmbProof,
    LmptProof: lmpt.LmptProof,
    AmtOpening: lvmt.AmtOpening,
    LvmtProof: lvmt.LvmtProof,
    MptProof: mpt.MptProof,
    EthGetProof: mpt.EthGetProof,
    EthAnswer: mpt.EthAnswer,
    EthHeader: mpt.EthHeader,
    EthCode: hashes.EthCode,
    EthTransaction: hashes.EthTransaction,
    SmtProof: smt.SmtProof,
    SmtHistory: smt.SmtHistory,
    SmtDiff: smt.SmtDiff,
  }),
);
