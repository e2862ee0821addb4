/** What EIP-1193 calls a request, and the parameters of Ethereum's methods. */

import { type Bytes, toHex } from "../bytes.js";
import type { Hex } from "../chain/checkpoint.js";
import { describe, refuse } from "../error.js";
import { bytesLike, wordOf } from "../mpt/bytes.js";
import type { BlockName } from "./trust.js";

/** A request of EIP-1193. */
export interface RequestArguments {
  readonly method: string;
  readonly params?: readonly unknown[] | object | undefined;
}

/** Anything that answers requests of EIP-1193. */
export interface Eip1193Provider {
  request(args: RequestArguments): Promise<unknown>;
}

/** The parameters of a request as an array. */
export function listOf({ method, params = [] }: RequestArguments): readonly unknown[] {
  if (Array.isArray(params)) return params;
  throw wrong(method, "parameters in an array", params);
}

/** An address among the parameters, in lower case. */
export function addressAt(method: string, params: readonly unknown[], index: number): Hex {
  return toHex(bytesLike(params[index], `parameter ${index} of ${method}`, 20)) as Hex;
}

/** A storage slot among the parameters: its 32 bytes in 0x-hex. */
export function slotOf(method: string, slot: unknown): Hex {
  const word = wordOf(slot);
  if (word) return word.toLowerCase() as Hex;
  throw wrong(method, "a slot, an integer of 256 bits in 0x-hex", slot);
}

/** The block that a request is about; `latest` if it does not say. */
export function blockAt(method: string, params: readonly unknown[], index: number): BlockName {
  const given = params[index] ?? "latest";
  if (typeof given === "object") {
    const { blockHash, blockNumber } = given as { blockHash?: unknown; blockNumber?: unknown };
    const name = blockHash ?? blockNumber;
    if (name !== undefined && (blockHash === undefined || blockNumber === undefined)) {
      return blockAt(method, [name], 0);
    }
  }
  if (given === "latest" || given === "safe" || given === "finalized") return given;
  if (given === "earliest") return 0n;
  if (typeof given === "string") {
    if (/^0x[0-9a-f]{64}$/i.test(given)) return given.toLowerCase() as Hex;
    if (/^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(given)) return BigInt(given);
  }
  if (given === "pending") {
    throw refuse("unverifiable_method", "a block that exists", "pending", { scheme: "mpt" });
  }
  throw wrong(method, "a block: latest, safe, finalized, a number, or a hash", given);
}

/** A number of 64 or 256 bits as Ethereum writes it. */
export const quantity = (number: bigint): Hex => `0x${number.toString(16)}`;

/** 32 bytes of a number, in 0x-hex. */
export const word = (number: bigint): Hex => `0x${number.toString(16).padStart(64, "0")}`;

/** The bytes of a server's result; throws `invalid_answer` if it is none. */
export function bytesOfResult(method: string, result: unknown): Uint8Array | Bytes {
  if (typeof result === "string" && /^0x([0-9a-f]{2})*$/i.test(result)) {
    return bytesLike(result, method);
  }
  throw refuse("invalid_answer", `bytes in 0x-hex from ${method}`, describe(result), {
    scheme: "mpt",
  });
}

const wrong = (method: string, expected: string, found: unknown) =>
  refuse("invalid_argument", `${expected} for ${method}`, describe(found), { scheme: "mpt" });
