/** Calls, as callers give them, as the binary takes them, and as servers are asked about them. */

import { Arguments, invalid } from "../../arguments.js";
import { type Hex, toHex } from "../../bytes.js";
import { describe } from "../../error.js";
import { type BytesLike, bytesLike, type WordLike, wordLike } from "../../mpt/bytes.js";
import type { Writer } from "../../wire.js";

/** A call: a transaction that nobody signed. Amounts are in wei. */
export interface CallInput {
  /** The sender; nothing checks that it agreed. Default: the zero address. */
  from?: BytesLike | undefined;
  /** The account that is called. Default: the data create a contract. */
  to?: BytesLike | undefined;
  /** The data of the call. Default none. */
  data?: BytesLike | undefined;
  /** The amount that is sent. Default 0. */
  value?: WordLike | undefined;
  /** The most gas. Default, and most, 50,000,000. */
  gas?: WordLike | undefined;
  /** The price of gas, instead of the next two. Default: gas costs nothing. */
  gasPrice?: WordLike | undefined;
  /** The most that a unit of gas may cost. */
  maxFeePerGas?: WordLike | undefined;
  /** The most that the recipient of the fees gets for a unit of gas. */
  maxPriorityFeePerGas?: WordLike | undefined;
  /** The most that a unit of blob gas may cost. */
  maxFeePerBlobGas?: WordLike | undefined;
  /** The hashes of blobs. */
  blobVersionedHashes?: readonly BytesLike[] | undefined;
  /** The accounts and slots that are warm from the beginning. */
  accessList?: readonly AccessListInput[] | undefined;
  /** Signed delegations of accounts to codes (EIP-7702). */
  authorizationList?: readonly AuthorizationInput[] | undefined;
  /** The chain that the call is for. Default: any. */
  chainId?: WordLike | undefined;
}

/** An account of an access list. */
export interface AccessListInput {
  address: BytesLike;
  storageKeys: readonly WordLike[];
}

/** A signed delegation of an account to a code. */
export interface AuthorizationInput {
  chainId: WordLike;
  /** The account whose code is run. */
  address: BytesLike;
  /** The nonce of the account that signed. */
  nonce: WordLike;
  /** The parity of the signature's point. */
  yParity: WordLike;
  r: WordLike;
  s: WordLike;
}

/** The members of a call, with other names that servers take. */
export const CALL_MEMBERS = [
  "from",
  "to",
  "data",
  "value",
  "gas",
  "gasPrice",
  "maxFeePerGas",
  "maxPriorityFeePerGas",
  "maxFeePerBlobGas",
  "blobVersionedHashes",
  "accessList",
  "authorizationList",
  "chainId",
] as const satisfies readonly (keyof CallInput)[];

/** An account of an access list, checked. */
export interface AccessListEntry {
  address: Hex;
  storageKeys: Hex[];
}

interface Authorization {
  chainId: bigint;
  address: Hex;
  nonce: bigint;
  yParity: bigint;
  r: bigint;
  s: bigint;
}

/** A call, checked. */
export interface Call {
  from: Hex | undefined;
  to: Hex | undefined;
  data: Hex;
  value: bigint;
  gas: bigint | undefined;
  gasPrice: bigint | undefined;
  maxFeePerGas: bigint | undefined;
  maxPriorityFeePerGas: bigint | undefined;
  maxFeePerBlobGas: bigint | undefined;
  blobVersionedHashes: Hex[] | undefined;
  accessList: AccessListEntry[] | undefined;
  authorizationList: Authorization[] | undefined;
  chainId: bigint | undefined;
}

/** Checks a call; throws `invalid_argument`. */
export function readCall(input: unknown): Call {
  const given = new Arguments(undefined, input, CALL_MEMBERS, "call");
  const path = (name: string) => `call.${name}`;
  const optional = <T>(
    name: (typeof CALL_MEMBERS)[number],
    read: (value: unknown, path: string) => T,
  ): T | undefined => {
    const value = given.unchecked(name);
    return value === undefined || value === null ? undefined : read(value, path(name));
  };
  return {
    from: optional("from", readAddress),
    to: optional("to", readAddress),
    data: optional("data", (value, path) => toHex(bytesLike(value, path)) as Hex) ?? "0x",
    value: optional("value", integer(256)) ?? 0n,
    gas: optional("gas", integer(64)),
    gasPrice: optional("gasPrice", integer(128)),
    maxFeePerGas: optional("maxFeePerGas", integer(128)),
    maxPriorityFeePerGas: optional("maxPriorityFeePerGas", integer(128)),
    maxFeePerBlobGas: optional("maxFeePerBlobGas", integer(128)),
    blobVersionedHashes: optional("blobVersionedHashes", (value, path) =>
      listOf(value, path, (hash, path) => toHex(bytesLike(hash, path, 32)) as Hex),
    ),
    accessList: optional("accessList", (value, path) => listOf(value, path, readEntry)),
    authorizationList: optional("authorizationList", (value, path) =>
      listOf(value, path, readAuthorization),
    ),
    chainId: optional("chainId", integer(64)),
  };
}

/** The most calls of a simulation. */
const MAX_CALLS = 64;

/** Checks the calls of a simulation; throws `invalid_argument`. */
export function readCalls(given: unknown): Call[] {
  if (Array.isArray(given) && given.length > 0 && given.length <= MAX_CALLS) {
    return Array.from(given, (call: unknown) => readCall(call));
  }
  throw invalid(undefined, "calls", `an array of 1 to ${MAX_CALLS} calls`, describe(given));
}

export const readAddress = (given: unknown, path: string): Hex =>
  toHex(bytesLike(given, path, 20)) as Hex;

/** An integer of so many bits. */
export function integer(bits: number): (given: unknown, path: string) => bigint {
  return (given, path) => {
    const value = BigInt(toHex(wordLike(given, path)));
    if (value < 1n << BigInt(bits)) return value;
    throw invalid(undefined, path, `an integer of ${bits} bits`, describe(given));
  };
}

/** A slot, or its value: 32 bytes. */
export const readWord = (given: unknown, path: string): Hex => toHex(wordLike(given, path)) as Hex;

const MAX_ITEMS = 4096;

function listOf<T>(given: unknown, path: string, read: (item: unknown, path: string) => T): T[] {
  if (!Array.isArray(given) || given.length > MAX_ITEMS) {
    throw invalid(undefined, path, `an array of at most ${MAX_ITEMS} items`, describe(given));
  }
  return Array.from(given, (item: unknown, index) => read(item, `${path}[${index}]`));
}

function readEntry(given: unknown, path: string): AccessListEntry {
  const entry = new Arguments(undefined, given, ["address", "storageKeys"], path);
  const keys = entry.unchecked("storageKeys") ?? [];
  return {
    address: readAddress(entry.unchecked("address"), `${path}.address`),
    storageKeys: listOf(keys, `${path}.storageKeys`, readWord),
  };
}

function readAuthorization(given: unknown, path: string): Authorization {
  const names = ["chainId", "address", "nonce", "yParity", "r", "s"] as const;
  // Libraries add members, such as `v`, which say the same.
  const known = names.map((name) => [name, (Object(given) as Record<string, unknown>)[name]]);
  const members = new Arguments(undefined, Object.fromEntries(known), names, path);
  const read = (name: (typeof names)[number], bits: number) =>
    integer(bits)(members.unchecked(name), `${path}.${name}`);
  return {
    chainId: read("chainId", 256),
    address: readAddress(members.unchecked("address"), `${path}.address`),
    nonce: read("nonce", 64),
    yParity: read("yParity", 8),
    r: read("r", 256),
    s: read("s", 256),
  };
}

/** Writes `Call`. */
export function writeCall(writer: Writer, call: Call): void {
  writer.hex(call.from ?? ZERO_ADDRESS);
  writeOptional(writer, call.to, (to) => writer.hex(to));
  writer.bool(false); // No nonce: only transactions need the right one.
  writer.optionalU64(call.gas);
  for (const fee of [call.gasPrice, call.maxFeePerGas, call.maxPriorityFeePerGas]) {
    writeOptional(writer, fee, (fee) => {
      writeU128(writer, fee);
    });
  }
  writeInteger(writer, call.value);
  writeBytes(writer, call.data);
  writer.sequence(call.accessList ?? [], ({ address, storageKeys }) => {
    writer.hex(address);
    writer.sequence(storageKeys, (key) => {
      writer.hex(key);
    });
  });
  writeOptional(writer, call.blobVersionedHashes, (hashes) => {
    writer.sequence(hashes, (hash) => {
      writer.hex(hash);
    });
  });
  writeOptional(writer, call.maxFeePerBlobGas, (fee) => {
    writeU128(writer, fee);
  });
  writeOptional(writer, call.authorizationList, (list) => {
    writer.sequence(list, ({ chainId, address, nonce, yParity, r, s }) => {
      writeInteger(writer, chainId);
      writer.hex(address);
      writer.u64(nonce);
      writer.u8(Number(yParity));
      writeInteger(writer, r);
      writeInteger(writer, s);
    });
  });
  writer.optionalU64(call.chainId);
}

export const ZERO_ADDRESS: Hex = `0x${"0".repeat(40)}`;

export function writeOptional<T>(
  writer: Writer,
  value: T | undefined,
  write: (value: T) => void,
): void {
  writer.bool(value !== undefined);
  if (value !== undefined) write(value);
}

/** Writes bytes in 0x-hex, with their length. */
export function writeBytes(writer: Writer, hex: Hex): void {
  writer.u32((hex.length - 2) / 2);
  writer.hex(hex);
}

/** Writes 32 bytes, big-endian. */
export function writeInteger(writer: Writer, value: bigint): void {
  writer.hex(`0x${value.toString(16).padStart(64, "0")}`);
}

/** Writes 16 bytes, little-endian. */
export function writeU128(writer: Writer, value: bigint): void {
  writer.u64(BigInt.asUintN(64, value));
  writer.u64(value >> 64n);
}

/** A call as JSON-RPC has it. */
export function callJson(call: Call): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...call, data: call.data === "0x" ? undefined : call.data })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, jsonOf(value)]),
  );
}

/** A value as JSON-RPC has it. */
export function jsonOf(value: unknown): unknown {
  if (typeof value === "bigint") return `0x${value.toString(16)}`;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, jsonOf(inner)]));
}
