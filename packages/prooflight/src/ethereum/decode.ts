/** Writes verified RLP as members of JSON-RPC, the reverse of `encode.ts`. */

import { type Bytes, type Hex, toHex } from "../bytes.js";
import { type Decoded, decode } from "./rlp.js";

/** Members of JSON-RPC. */
export type Json = Record<string, unknown>;

/** Writes an item as JSON-RPC does. */
type ItemWriter = (item: Decoded) => unknown;

const data: ItemWriter = (item) => toHex(item as Bytes);
const quantity: ItemWriter = (item) => {
  const digits = toHex(item as Bytes).slice(2);
  return `0x${digits.replace(/^0+(?=.)/, "") || "0"}`;
};
const address: ItemWriter = (item) => ((item as Bytes).length === 0 ? null : data(item));
const listOf =
  (write: ItemWriter): ItemWriter =>
  (item) =>
    (item as Decoded[]).map(write);
const objectOf =
  (fields: Fields): ItemWriter =>
  (item) =>
    members(fields, item);

type Fields = readonly (readonly [string, ItemWriter])[];

function members(fields: Fields, item: Decoded): Json {
  const items = item as Decoded[];
  const found = fields.slice(0, items.length);
  return Object.fromEntries(found.map(([name, write], index) => [name, write(items[index] ?? [])]));
}

const HEADER: Fields = [
  ["parentHash", data],
  ["sha3Uncles", data],
  ["miner", data],
  ["stateRoot", data],
  ["transactionsRoot", data],
  ["receiptsRoot", data],
  ["logsBloom", data],
  ["difficulty", quantity],
  ["number", quantity],
  ["gasLimit", quantity],
  ["gasUsed", quantity],
  ["timestamp", quantity],
  ["extraData", data],
  ["mixHash", data],
  ["nonce", data],
  ["baseFeePerGas", quantity],
  ["withdrawalsRoot", data],
  ["blobGasUsed", quantity],
  ["excessBlobGas", quantity],
  ["parentBeaconBlockRoot", data],
  ["requestsHash", data],
];

/** The names of all fields of headers, in their order. */
export const HEADER_NAMES = HEADER.map(([name]) => name);

const WITHDRAWAL: Fields = [
  ["index", quantity],
  ["validatorIndex", quantity],
  ["address", data],
  ["amount", quantity],
];

const ACCESS: Fields = [
  ["address", data],
  ["storageKeys", listOf(data)],
];

const AUTHORIZATION: Fields = [
  ["chainId", quantity],
  ["address", data],
  ["nonce", quantity],
  ["yParity", quantity],
  ["r", quantity],
  ["s", quantity],
];

const CALL: Fields = [
  ["gas", quantity],
  ["to", address],
  ["value", quantity],
  ["input", data],
];
const CHAIN_AND_NONCE: Fields = [
  ["chainId", quantity],
  ["nonce", quantity],
];
const FEES: Fields = [
  ["maxPriorityFeePerGas", quantity],
  ["maxFeePerGas", quantity],
];
const GAS_PRICE: Fields = [["gasPrice", quantity]];
const ACCESS_LIST: Fields = [["accessList", listOf(objectOf(ACCESS))]];
const BLOBS: Fields = [
  ["maxFeePerBlobGas", quantity],
  ["blobVersionedHashes", listOf(data)],
];
const AUTHORIZATIONS: Fields = [["authorizationList", listOf(objectOf(AUTHORIZATION))]];
const RS: Fields = [
  ["r", quantity],
  ["s", quantity],
];
const PARITY_RS: Fields = [["yParity", quantity], ...RS];

/** The fields of each type of transaction. Source: EIP-155, 2930, 1559, 4844, 7702. */
const TRANSACTIONS: readonly Fields[] = [
  [["nonce", quantity], ...GAS_PRICE, ...CALL, ["v", quantity], ...RS],
  [...CHAIN_AND_NONCE, ...GAS_PRICE, ...CALL, ...ACCESS_LIST, ...PARITY_RS],
  [...CHAIN_AND_NONCE, ...FEES, ...CALL, ...ACCESS_LIST, ...PARITY_RS],
  [...CHAIN_AND_NONCE, ...FEES, ...CALL, ...ACCESS_LIST, ...BLOBS, ...PARITY_RS],
  [...CHAIN_AND_NONCE, ...FEES, ...CALL, ...ACCESS_LIST, ...AUTHORIZATIONS, ...PARITY_RS],
];

/** The members of a header. */
export const headerMembers = (rlp: Bytes): Json => members(HEADER, decode(rlp));

/** The members of a withdrawal. */
export const withdrawalMembers = (rlp: Bytes): Json => members(WITHDRAWAL, decode(rlp));

/** The members of a transaction in its signed form. */
export function transactionMembers(raw: Bytes): Json {
  const isTyped = (raw[0] ?? 0) < 0x80;
  const type = isTyped ? (raw[0] ?? 0) : 0;
  const signed = members(TRANSACTIONS[type] ?? [], decode(isTyped ? raw.subarray(1) : raw));
  const { yParity = signed["v"] } = signed;
  return { type: `0x${type}` satisfies Hex, ...signed, v: yParity };
}

/** The number of blobs of a transaction. */
export const blobsOf = (raw: Bytes): number =>
  raw[0] === 3 ? (transactionMembers(raw)["blobVersionedHashes"] as unknown[]).length : 0;
