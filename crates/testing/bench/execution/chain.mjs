// A chain with mainnet's rules, whose execution blocks anvil makes and whose beacon blocks a made-up committee signs: light
// clients of mainnet take it from its checkpoint.

import { Tree } from "@chainsafe/persistent-merkle-tree";
import { ssz } from "@lodestar/types";
import { bls12_381 as bls } from "@noble/curves/bls12-381.js";

/** The first slot of a period in Electra. */
const FIRST = 1428 * 8192;
const [GENESIS, SECONDS_PER_SLOT] = [1_606_824_023, 12];
const ELECTRA = "0x05000000";
const GENESIS_ROOT = "0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95";
const DST = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const COMMITTEE_SIZE = 512;

/** The places of what a state and a body prove, as generalized indices. */
const [COMMITTEE, FINALIZED, PAYLOAD] = [86, 169, 25n];

/** Slots of the finalized block and of the head. */
const [FINALIZED_SLOT, HEAD_SLOT] = [FIRST + 64, FIRST + 160];

export const timeOf = (slot) => GENESIS + SECONDS_PER_SLOT * slot;

/** The times of the two execution blocks, in seconds. */
export const BLOCK_TIMES = [FINALIZED_SLOT, HEAD_SLOT].map(timeOf);

/** The time at which clients start, in milliseconds. */
export const NOW = timeOf(HEAD_SLOT + 1) * 1000 + 4000;

/** The checkpoint, and the replies of a beacon node by their paths, in JSON and in SSZ. */
export function signBlocks(finalizedBlock, headBlock) {
  const secrets = Array.from({ length: COMMITTEE_SIZE }, (_, index) => BigInt(index + 1));
  const point = (secret) => bls.G1.Point.BASE.multiply(secret).toBytes(true);
  const sum = secrets.reduce((one, other) => one + other);
  const committee = { pubkeys: secrets.map(point), aggregatePubkey: point(sum) };
  const [committeeBranch, stateRoot] = branchTo(
    ssz.altair.SyncCommittee.hashTreeRoot(committee),
    COMMITTEE,
  );
  const finalized = beaconBlock(finalizedBlock, FINALIZED_SLOT, stateRoot, bytes(GENESIS_ROOT));
  const root = ssz.electra.BeaconBlock.hashTreeRoot(finalized);
  const [finalityBranch, headState] = branchTo(root, FINALIZED);
  const head = beaconBlock(headBlock, HEAD_SLOT, headState, root);
  const domain = Uint8Array.of(
    ...[7, 0, 0, 0],
    ...ssz.phase0.ForkData.hashTreeRoot({
      currentVersion: bytes(ELECTRA),
      genesisValidatorsRoot: bytes(GENESIS_ROOT),
    }).slice(0, 28),
  );
  const signingRoot = ssz.phase0.SigningData.hashTreeRoot({
    objectRoot: ssz.electra.BeaconBlock.hashTreeRoot(head),
    domain,
  });
  const update = {
    attestedHeader: headerOf(head),
    syncAggregate: {
      syncCommitteeBits: ssz.altair.SyncCommitteeBits.fromJson(`0x${"ff".repeat(64)}`),
      syncCommitteeSignature: bls.G2.hashToCurve(signingRoot, { DST }).multiply(sum).toBytes(true),
    },
    signatureSlot: HEAD_SLOT + 1,
  };
  const finality = { ...update, finalizedHeader: headerOf(finalized), finalityBranch };
  const bootstrap = {
    header: headerOf(finalized),
    currentSyncCommittee: committee,
    currentSyncCommitteeBranch: committeeBranch,
  };
  const reply = (type, value) => ({
    json: JSON.stringify({ version: "electra", data: type.toJson(value) }),
    ssz: Buffer.from(type.serialize(value)).toString("base64"),
  });
  const block = (message) => {
    const { json } = reply(ssz.electra.SignedBeaconBlock, {
      message,
      signature: new Uint8Array(96),
    });
    return { json };
  };
  const client = "/eth/v1/beacon/light_client/";
  const checkpoint = hex(root);
  return {
    checkpoint,
    beacon: {
      [`${client}bootstrap/${checkpoint}`]: reply(ssz.electra.LightClientBootstrap, bootstrap),
      [`${client}finality_update`]: reply(ssz.electra.LightClientFinalityUpdate, finality),
      [`${client}optimistic_update`]: reply(ssz.electra.LightClientOptimisticUpdate, update),
      [`${client}updates`]: { json: "[]", ssz: "" },
      [`/eth/v2/beacon/blocks/${FINALIZED_SLOT}`]: block(finalized),
      [`/eth/v2/beacon/blocks/${HEAD_SLOT}`]: block(head),
    },
  };
}

/** A beacon block without anything but a payload, which has no transactions. */
function beaconBlock(block, slot, stateRoot, parentRoot) {
  const body = ssz.electra.BeaconBlockBody.defaultValue();
  body.executionPayload = {
    parentHash: bytes(block.parentHash),
    feeRecipient: bytes(block.miner),
    stateRoot: bytes(block.stateRoot),
    receiptsRoot: bytes(block.receiptsRoot),
    logsBloom: bytes(block.logsBloom),
    prevRandao: bytes(block.mixHash),
    blockNumber: Number(block.number),
    gasLimit: Number(block.gasLimit),
    gasUsed: Number(block.gasUsed),
    timestamp: Number(block.timestamp),
    extraData: bytes(block.extraData),
    baseFeePerGas: BigInt(block.baseFeePerGas),
    blockHash: bytes(block.hash),
    transactions: [],
    withdrawals: [],
    blobGasUsed: BigInt(block.blobGasUsed),
    excessBlobGas: BigInt(block.excessBlobGas),
  };
  return { slot, proposerIndex: 0, parentRoot, stateRoot, body };
}

function headerOf({ body, ...fields }) {
  const { transactions, withdrawals, ...payload } = body.executionPayload;
  const types = ssz.electra.ExecutionPayload.fields;
  return {
    beacon: { ...fields, bodyRoot: ssz.electra.BeaconBlockBody.hashTreeRoot(body) },
    execution: {
      ...payload,
      transactionsRoot: types.transactions.hashTreeRoot(transactions),
      withdrawalsRoot: types.withdrawals.hashTreeRoot(withdrawals),
    },
    executionBranch: new Tree(ssz.electra.BeaconBlockBody.toView(body).node).getSingleProof(
      PAYLOAD,
    ),
  };
}

/** A branch of ones from a leaf at a generalized index, and its root. */
function branchTo(leaf, index) {
  const branch = [];
  let root = leaf;
  for (let at = index; at > 1; at >>= 1) {
    const sibling = new Uint8Array(32).fill(1);
    branch.push(sibling);
    // The root of two chunks is the hash of both.
    const [objectRoot, domain] = at % 2 === 0 ? [root, sibling] : [sibling, root];
    root = ssz.phase0.SigningData.hashTreeRoot({ objectRoot, domain });
  }
  return [branch, root];
}

const bytes = (text) => Uint8Array.from(Buffer.from(text.slice(2), "hex"));
const hex = (bytes) => `0x${Buffer.from(bytes).toString("hex")}`;
