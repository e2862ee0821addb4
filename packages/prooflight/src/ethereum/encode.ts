/**
 * Writes the JSON of execution servers as the RLP that roots and hashes commit to.
 *
 * Only the written fields count, so no other member of the JSON can influence an answer. Servers write some fields in
 * several ways; the roots and hashes show whether a field was read as it was meant.
 */

import type { Bytes } from "../bytes.js";
import { refuse } from "../error.js";
import type { JsonValue } from "./json.js";
import { encode, encodeTyped, type Item } from "./rlp.js";

/** Encodes the header of a block in JSON. */
export function encodeHeader(block: JsonValue): Bytes {
  const hash = (name: string) => block.member(name).bytes(32);
  const integer = (name: string, bits = 64) => block.member(name).quantity(bits);
  const fields: Item[] = [
    hash("parentHash"),
    hash("sha3Uncles"),
    block.member("miner").bytes(20),
    hash("stateRoot"),
    hash("transactionsRoot"),
    hash("receiptsRoot"),
    block.member("logsBloom").bytes(256),
    integer("difficulty", 256),
    integer("number"),
    integer("gasLimit"),
    integer("gasUsed"),
    integer("timestamp"),
    block.member("extraData").bytes(),
    hash("mixHash"),
    block.member("nonce").bytes(8),
  ];
  // Each fork since London adds fields after those of the earlier forks.
  const later: [string, () => Item][] = [
    ["baseFeePerGas", () => integer("baseFeePerGas", 256)],
    ["withdrawalsRoot", () => hash("withdrawalsRoot")],
    ["blobGasUsed", () => integer("blobGasUsed")],
    ["excessBlobGas", () => integer("excessBlobGas")],
    ["parentBeaconBlockRoot", () => hash("parentBeaconBlockRoot")],
    ["requestsHash", () => hash("requestsHash")],
  ];
  for (const [name, read] of later) {
    if (block.optional(name) === undefined) break;
    fields.push(read());
  }
  return encode(fields);
}

/** Encodes a transaction in JSON, of type 0 to 4. Source: EIP-155, 2930, 1559, 4844, 7702. */
export function encodeTransaction(given: JsonValue): Bytes {
  // Transactions of other types may lack the fields of these.
  const type = typeOf(given);
  const integer = (name: string, bits = 64) => given.member(name).quantity(bits);
  const input = (given.optional("input") ?? given.member("data")).bytes();
  const call = [integer("gas"), recipientOf(given), integer("value", 256), input];
  const signature = [integer("r", 256), integer("s", 256)];
  if (type === 0) {
    const fees = [integer("nonce"), integer("gasPrice", 256)];
    return encode([...fees, ...call, integer("v"), ...signature]);
  }
  const signed = [parityOf(given), ...signature];
  const start = [integer("chainId"), integer("nonce")];
  const access = given.items("accessList").map(accessOf);
  const fees = () => [integer("maxPriorityFeePerGas", 256), integer("maxFeePerGas", 256)];
  switch (type) {
    case 1:
      return encodeTyped(1, [...start, integer("gasPrice", 256), ...call, access, ...signed]);
    case 2:
      return encodeTyped(2, [...start, ...fees(), ...call, access, ...signed]);
    case 3: {
      const hashes = given.member("blobVersionedHashes").list();
      const blobs = [integer("maxFeePerBlobGas", 256), hashes.map((hash) => hash.bytes(32))];
      return encodeTyped(3, [...start, ...fees(), ...call, access, ...blobs, ...signed]);
    }
    default: {
      const authorizations = given.member("authorizationList").list().map(authorizationOf);
      return encodeTyped(4, [...start, ...fees(), ...call, access, authorizations, ...signed]);
    }
  }
}

/** Encodes a withdrawal in JSON. Source: EIP-4895. */
export const encodeWithdrawal = (given: JsonValue): Bytes =>
  encode([
    given.member("index").quantity(),
    given.member("validatorIndex").quantity(),
    given.member("address").bytes(20),
    given.member("amount").quantity(),
  ]);

/** Encodes a receipt in JSON. */
export function encodeReceipt(given: JsonValue): Bytes {
  return encodeTyped(typeOf(given), [
    outcomeOf(given),
    given.member("cumulativeGasUsed").quantity(),
    given.member("logsBloom").bytes(256),
    given
      .items("logs")
      .map((log) => [
        log.member("address").bytes(20),
        log.items("topics").map((topic) => topic.bytes(32)),
        log.member("data").bytes(),
      ]),
  ]);
}

/** The root of the state before Byzantium, the status since. Servers may write an empty root beside a status. */
function outcomeOf(given: JsonValue): Item {
  const root = given.optional("root");
  const isEmpty = root === undefined || /^(0x0*)?$/.test(String(root.value));
  return isEmpty ? given.member("status").quantity() : root.bytes(32);
}

/** The newest type of transactions. */
const NEWEST_TYPE = 4;

/** The type of a transaction, or of a receipt; throws `unsupported_fork` for one that is not known. */
function typeOf(given: JsonValue): number {
  const type = given.optional("type")?.quantity(256) ?? 0n;
  if (type <= NEWEST_TYPE) return Number(type);
  throw refuse("unsupported_fork", `a type from 0 to ${NEWEST_TYPE}`, `type ${type}`);
}

/** The recipient; empty for a transaction that creates a contract, where servers write null or nothing. */
function recipientOf(given: JsonValue): Uint8Array {
  const to = given.optional("to");
  return to === undefined || to.value === "" || to.value === "0x" ? new Uint8Array() : to.bytes(20);
}

/** The parity of a signature, which older servers write as `v`, also in the form that it had before EIP-155. */
function parityOf(given: JsonValue): bigint {
  const parity = (given.optional("yParity") ?? given.member("v")).quantity();
  return parity === 27n || parity === 28n ? parity - 27n : parity;
}

const accessOf = (entry: JsonValue): Item => [
  entry.member("address").bytes(20),
  entry.items("storageKeys").map((key) => key.bytes(32)),
];

const authorizationOf = (entry: JsonValue): Item => [
  entry.member("chainId").quantity(256),
  entry.member("address").bytes(20),
  entry.member("nonce").quantity(),
  parityOf(entry),
  entry.member("r").quantity(256),
  entry.member("s").quantity(256),
];
