/** A beacon chain of one committee, whose keys everybody knows, that signs the newest of two execution blocks. */

import { PresetName, setActivePreset } from "@lodestar/params/setPreset";
import { bls12_381 as bls } from "@noble/curves/bls12-381";

import type { NetworkConfig } from "../../src/ethereum.js";

// The sizes of the chain. They must be set before the types are loaded.
setActivePreset(PresetName.minimal);
const { ssz } = await import("@lodestar/types");

type Hex = `0x${string}`;

/** An execution block without transactions and withdrawals, as `eth_getBlockByNumber` gives it. */
export type EmptyBlock = Readonly<
  Record<
    | ("hash" | "parentHash" | "miner" | "stateRoot" | "receiptsRoot" | "logsBloom" | "mixHash")
    | ("number" | "gasLimit" | "gasUsed" | "timestamp" | "extraData" | "baseFeePerGas")
    | ("blobGasUsed" | "excessBlobGas"),
    Hex
  >
>;

/** What a light client starts from, and a beacon node's messages. */
export interface SignedChain {
  network: NetworkConfig;
  checkpoint: Hex;
  bootstrap: Uint8Array;
  optimistic: Uint8Array;
}

const SECONDS_PER_SLOT = 12;
const COMMITTEE_SIZE = 32;
const FORKS = ["altair", "bellatrix", "capella", "deneb", "electra", "fulu"] as const;
const VERSION: Hex = "0x06000000";
/** The domain of signatures, by their proofs of possession. */
const SIGNATURES = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const ROOT: Hex = `0x${"00".repeat(32)}`;

/** Where the current committee is in a state, and the payload's header in a body. */
const [COMMITTEE_INDEX, PAYLOAD_INDEX] = [86, 25];

/** The messages about a block and its child, at slots 1 and 2; the committee signs the child. */
export function signChain(parent: EmptyBlock, child: EmptyBlock): SignedChain {
  const secrets = Array.from({ length: COMMITTEE_SIZE }, (_, index) => BigInt(index + 1));
  const point = (secret: bigint) => bls.G1.ProjectivePoint.BASE.multiply(secret).toRawBytes(true);
  const sum = secrets.reduce((one, other) => one + other);
  const committee = { pubkeys: secrets.map(point), aggregatePubkey: point(sum) };
  const [branch, stateRoot] = branchTo(
    ssz.altair.SyncCommittee.hashTreeRoot(committee),
    COMMITTEE_INDEX,
  );
  const header = headerOf(parent, 1, stateRoot);
  const attestedHeader = headerOf(child, 2, stateRoot);
  const forkDataRoot = ssz.phase0.ForkData.hashTreeRoot({
    currentVersion: bytes(VERSION),
    genesisValidatorsRoot: bytes(ROOT),
  });
  const root = ssz.phase0.SigningData.hashTreeRoot({
    objectRoot: ssz.phase0.BeaconBlockHeader.hashTreeRoot(attestedHeader.beacon),
    domain: Uint8Array.of(7, 0, 0, 0, ...forkDataRoot.slice(0, 28)),
  });
  const message = bls.G2.hashToCurve(root, { DST: SIGNATURES }).toAffine();
  const signature = bls.G2.ProjectivePoint.fromAffine(message).multiply(sum).toRawBytes(true);
  return {
    network: {
      genesisValidatorsRoot: ROOT,
      genesisTime: BigInt(child.timestamp) - BigInt(2 * SECONDS_PER_SLOT),
      genesisForkVersion: "0x00000000",
      forks: Object.fromEntries(
        FORKS.map((fork, index) => [fork, { epoch: 0n, version: `0x0${index + 1}000000` }]),
      ),
      slotsPerEpoch: 8n,
      epochsPerPeriod: 8n,
      committeeSize: COMMITTEE_SIZE,
    },
    checkpoint: hex(ssz.phase0.BeaconBlockHeader.hashTreeRoot(header.beacon)),
    bootstrap: ssz.fulu.LightClientBootstrap.serialize({
      header,
      currentSyncCommittee: committee,
      currentSyncCommitteeBranch: branch,
    }),
    optimistic: ssz.fulu.LightClientOptimisticUpdate.serialize({
      attestedHeader,
      syncAggregate: {
        syncCommitteeBits: ssz.altair.SyncCommitteeBits.fromJson(`0x${"ff".repeat(4)}`),
        syncCommitteeSignature: signature,
      },
      signatureSlot: 3,
    }),
  };
}

function headerOf(block: EmptyBlock, slot: number, stateRoot: Uint8Array) {
  const { fields } = ssz.fulu.ExecutionPayload;
  const execution = {
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
    transactionsRoot: fields.transactions.hashTreeRoot([]),
    withdrawalsRoot: fields.withdrawals.hashTreeRoot([]),
    blobGasUsed: BigInt(block.blobGasUsed),
    excessBlobGas: BigInt(block.excessBlobGas),
  };
  const root = ssz.fulu.ExecutionPayloadHeader.hashTreeRoot(execution);
  const [executionBranch, bodyRoot] = branchTo(root, PAYLOAD_INDEX);
  const beacon = { slot, proposerIndex: 0, parentRoot: bytes(ROOT), stateRoot, bodyRoot };
  return { beacon, execution, executionBranch };
}

/** A branch of zeros from a leaf at a generalized index, and its root. */
function branchTo(leaf: Uint8Array, index: number): [branch: Uint8Array[], root: Uint8Array] {
  const branch: Uint8Array[] = [];
  let root = leaf;
  for (let at = index; at > 1; at >>= 1) {
    const sibling = bytes(ROOT);
    branch.push(sibling);
    // The root of two chunks is the hash of both.
    const [objectRoot, domain] = at % 2 === 0 ? [root, sibling] : [sibling, root];
    root = ssz.phase0.SigningData.hashTreeRoot({ objectRoot, domain });
  }
  return [branch, root];
}

const bytes = (text: Hex) => Uint8Array.from(Buffer.from(text.slice(2), "hex"));
const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`;
