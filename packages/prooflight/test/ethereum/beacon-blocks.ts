/** Recorded beacon blocks, decoded by Lodestar's types, and what nodes say about them. */

import { createMPT } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { Tree } from "@chainsafe/persistent-merkle-tree";
import { ssz } from "@lodestar/types";
import { sha256, Transaction } from "ethers";

import type { Network } from "./networks.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

export type BeaconBlock = ReturnType<typeof decode>;

/** A `SignedBeaconBlock` in SSZ begins with where its message is. */
export const isBlock = (bytes: Uint8Array): boolean =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true) === 100;

/** Decodes a `SignedBeaconBlock`, whose fork follows from its slot. */
export function decode(bytes: Uint8Array, { forkOf }: Network) {
  const slot = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(100, true));
  const { fork, types } = typesOf(forkOf(slot), slot);
  return describe(fork, types, types.SignedBeaconBlock.deserialize(bytes).message);
}

/** Reads a `SignedBeaconBlock` of the Beacon API's JSON. */
export function decodeJson(data: unknown, { forkOf }: Network) {
  const slot = Number((data as { message: { slot: string } }).message.slot);
  const { fork, types } = typesOf(forkOf(slot), slot);
  return describe(fork, types, types.SignedBeaconBlock.fromJson(data).message);
}

/** The forks whose blocks have an execution payload that light clients can prove. */
const PROVABLE = ["fulu", "electra", "deneb", "capella"] as const;

function typesOf(name: string, slot: number) {
  const fork = PROVABLE.find((fork) => fork === name);
  if (!fork) throw new Error(`a block of slot ${slot}, in ${name}`);
  return { fork, types: ssz[fork] as typeof ssz.electra };
}

const describe = (
  fork: (typeof PROVABLE)[number],
  types: typeof ssz.electra,
  message: ReturnType<typeof ssz.electra.BeaconBlock.defaultValue>,
) => ({ fork, types, message, root: types.BeaconBlock.hashTreeRoot(message) });

/** The optimistic update that a node makes when `child` arrives, which signs `parent`. */
export function optimisticUpdate(parent: BeaconBlock, child: BeaconBlock) {
  const { types, message } = parent;
  const { body, ...fields } = message;
  const payload = body.executionPayload;
  const view = types.BeaconBlockBody.toView(body);
  const header = {
    beacon: { ...fields, bodyRoot: types.BeaconBlockBody.hashTreeRoot(body) },
    execution: {
      ...payload,
      transactionsRoot: types.ExecutionPayload.fields.transactions.hashTreeRoot(
        payload.transactions,
      ),
      withdrawalsRoot: types.ExecutionPayload.fields.withdrawals.hashTreeRoot(payload.withdrawals),
    },
    // The payload is the tenth of up to sixteen fields.
    executionBranch: new Tree(view.node).getSingleProof(25n),
  };
  return {
    attestedHeader: header,
    syncAggregate: child.message.body.syncAggregate,
    signatureSlot: child.message.slot,
  };
}

/** The reply of `eth_getBlockBy…`, made from the payload. */
export async function blockJson({ fork, message }: BeaconBlock, full: boolean): Promise<Json> {
  const { body, parentRoot } = message;
  const payload = body.executionPayload;
  const transactions = payload.transactions.map((raw) => Transaction.from(hex(raw)));
  const withdrawals = payload.withdrawals.map(({ index, validatorIndex, address, amount }) => [
    BigInt(index),
    BigInt(validatorIndex),
    address,
    amount,
  ]);
  return {
    hash: hex(payload.blockHash),
    parentHash: hex(payload.parentHash),
    sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    miner: hex(payload.feeRecipient),
    stateRoot: hex(payload.stateRoot),
    transactionsRoot: await listRoot(payload.transactions),
    receiptsRoot: hex(payload.receiptsRoot),
    logsBloom: hex(payload.logsBloom),
    difficulty: "0x0",
    number: quantity(payload.blockNumber),
    gasLimit: quantity(payload.gasLimit),
    gasUsed: quantity(payload.gasUsed),
    timestamp: quantity(payload.timestamp),
    extraData: hex(payload.extraData),
    mixHash: hex(payload.prevRandao),
    nonce: "0x0000000000000000",
    baseFeePerGas: quantity(payload.baseFeePerGas),
    withdrawalsRoot: await listRoot(withdrawals.map((fields) => RLP.encode(fields))),
    ...(fork === "capella"
      ? {}
      : {
          blobGasUsed: quantity(payload.blobGasUsed),
          excessBlobGas: quantity(payload.excessBlobGas),
          parentBeaconBlockRoot: hex(parentRoot),
        }),
    ...(fork === "fulu" || fork === "electra" ? { requestsHash: requestsHash(message) } : {}),
    uncles: [],
    withdrawals: payload.withdrawals.map(({ index, validatorIndex, address, amount }) => ({
      index: quantity(index),
      validatorIndex: quantity(validatorIndex),
      address: hex(address),
      amount: quantity(amount),
    })),
    transactions: transactions.map((transaction, index) =>
      full ? transactionJson(transaction, payload, index) : transaction.hash,
    ),
  };
}

function transactionJson(
  transaction: Transaction,
  { blockHash, blockNumber }: BeaconBlock["message"]["body"]["executionPayload"],
  index: number,
): Json {
  const { type, chainId, signature, accessList } = transaction;
  if (!signature) throw new Error("a transaction without a signature");
  const yParity = quantity(signature.yParity);
  const dynamic = {
    maxFeePerGas: quantity(transaction.maxFeePerGas ?? 0n),
    maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas ?? 0n),
  };
  return {
    blockHash: hex(blockHash),
    blockNumber: quantity(blockNumber),
    transactionIndex: quantity(index),
    hash: transaction.hash,
    type: quantity(type ?? 0),
    from: transaction.from?.toLowerCase(),
    to: transaction.to?.toLowerCase() ?? null,
    nonce: quantity(transaction.nonce),
    gas: quantity(transaction.gasLimit),
    value: quantity(transaction.value),
    input: transaction.data,
    r: quantity(BigInt(signature.r)),
    s: quantity(BigInt(signature.s)),
    ...((type ?? 0) === 0
      ? {
          gasPrice: quantity(transaction.gasPrice ?? 0n),
          v: quantity(signature.networkV ?? BigInt(signature.v)),
        }
      : { chainId: quantity(chainId), accessList: accessList ?? [], yParity, v: yParity }),
    ...(type === 1 ? { gasPrice: quantity(transaction.gasPrice ?? 0n) } : {}),
    ...((type ?? 0) > 1 ? dynamic : {}),
    ...(type === 3
      ? {
          maxFeePerBlobGas: quantity(transaction.maxFeePerBlobGas ?? 0n),
          blobVersionedHashes: transaction.blobVersionedHashes,
        }
      : {}),
    ...(type === 4
      ? {
          authorizationList: (transaction.authorizationList ?? []).map((entry) => ({
            chainId: quantity(entry.chainId),
            address: entry.address.toLowerCase(),
            nonce: quantity(entry.nonce),
            yParity: quantity(entry.signature.yParity),
            r: quantity(BigInt(entry.signature.r)),
            s: quantity(BigInt(entry.signature.s)),
          })),
        }
      : {}),
  };
}

/** The root of a list, by another implementation of tries. */
async function listRoot(items: readonly Uint8Array[]): Promise<Hex> {
  const trie = await createMPT();
  for (const [index, item] of items.entries()) await trie.put(RLP.encode(index), item);
  return hex(trie.root());
}

/** Source: EIP-7685. */
function requestsHash(message: BeaconBlock["message"]): Hex {
  const { deposits, withdrawals, consolidations } = ssz.electra.ExecutionRequests.fields;
  const requests = message.body.executionRequests;
  const lists = [
    deposits.serialize(requests.deposits),
    withdrawals.serialize(requests.withdrawals),
    consolidations.serialize(requests.consolidations),
  ];
  const hashes = lists.flatMap((list, type) =>
    list.length === 0 ? [] : [sha256(Uint8Array.of(type, ...list)).slice(2)],
  );
  return sha256(`0x${hashes.join("")}`) as Hex;
}

/** Bytes in 0x-hex. */
export const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`;

const quantity = (number: number | bigint): Hex => `0x${number.toString(16)}`;
