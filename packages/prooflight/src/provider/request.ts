/** Requests of EIP-1193, and the parameters and results of Ethereum's methods. */

import { type Bytes, fromHex, type Hex, toHex } from "../bytes.js";
import { describe, refuse, VerifyError } from "../error.js";
import { bytesLike, wordOf } from "../mpt/bytes.js";
import { MAX_PROOF_BYTES } from "../registry.js";
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

/** A copy of a request, which only the provider holds. */
export interface Request {
  readonly method: string;
  readonly params: unknown[] | object;
}

/** Copies a caller's request; throws `invalid_argument` if it is not one, or not JSON. */
export function requestOf(args: unknown): Request {
  let found: string;
  try {
    const { method, params } = args as RequestArguments;
    if (typeof method === "string") {
      const copy = copyOf(params ?? []);
      if (typeof copy === "object" && copy !== null) return { method, params: copy };
    }
    found = describe(typeof method === "string" ? params : args);
  } catch (cause) {
    const expected = "the request to have a method, and params that are JSON";
    throw refuse("invalid_argument", expected, describe(args), { scheme: "mpt", cause });
  }
  const expected = "the request to have a method, and params in an array";
  throw refuse("invalid_argument", expected, found, { scheme: "mpt" });
}

/** Copies a value by way of JSON; throws what the value's getters throw. */
export const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** The parameters of a request as an array. */
export function listOf({ method, params }: Request): readonly unknown[] {
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

/**
 * The block of a request; `latest` if it names none.
 *
 * `follows` if the provider follows a chain: then each of its blocks is canonical, and `pending` means `latest`.
 */
export function blockAt(
  method: string,
  params: readonly unknown[],
  index: number,
  follows = false,
): BlockName {
  const given = params[index] ?? "latest";
  if (typeof given === "object") return blockOf(method, given, follows);
  if (given === "pending" && follows) return "latest";
  if (given === "latest" || given === "safe" || given === "finalized") return given;
  if (given === "earliest") return 0n;
  const block = hashOf(given) ?? integerOf(given);
  if (block !== undefined) return block;
  if (given === "pending") {
    throw refuse("unverifiable_method", "a block that exists", "pending", { scheme: "mpt" });
  }
  throw wrong(method, "a block: latest, safe, finalized, a number, or a hash", given);
}

/** The block named by an object of EIP-1898, which has its hash or its number and no other members. */
function blockOf(method: string, given: object, follows: boolean): BlockName {
  const { blockHash, blockNumber, requireCanonical, ...others } = given as Record<string, unknown>;
  if (Object.keys(others).length === 0) {
    if (requireCanonical === true && !follows) {
      const expected = "a block that need not be canonical, which only trust() can know";
      throw refuse("unverifiable_method", expected, "requireCanonical", { scheme: "mpt" });
    }
    const block = blockNumber === undefined ? hashOf(blockHash) : integerOf(blockNumber);
    const one = blockNumber === undefined || blockHash === undefined;
    const flag = requireCanonical === undefined || typeof requireCanonical === "boolean";
    if (block !== undefined && one && flag) return block;
  }
  throw wrong(method, "a block as { blockHash } of 32 bytes or as { blockNumber }", given);
}

/** A hash among the parameters, in lower case. */
export function hashAt(method: string, params: readonly unknown[], index: number): Hex {
  const hash = hashOf(params[index]);
  if (hash) return hash;
  throw wrong(method, `a hash of 32 bytes as parameter ${index}`, params[index]);
}

/** A 64-bit quantity among the parameters. */
export function integerAt(method: string, params: readonly unknown[], index: number): bigint {
  const integer = integerOf(params[index]);
  if (integer !== undefined) return integer;
  throw wrong(method, `a quantity of 64 bits as parameter ${index}`, params[index]);
}

const hashOf = (given: unknown): Hex | undefined =>
  typeof given === "string" && /^0x[0-9a-f]{64}$/i.test(given)
    ? (given.toLowerCase() as Hex)
    : undefined;

/** Reads a 64-bit quantity; undefined if it is not one. */
const integerOf = (given: unknown): bigint | undefined =>
  typeof given === "string" && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(given)
    ? BigInt(given)
    : undefined;

/** Writes a quantity. */
export const quantity = (number: bigint): Hex => `0x${number.toString(16)}`;

/** Writes a number as 32 bytes in 0x-hex. */
export const word = (number: bigint): Hex => `0x${number.toString(16).padStart(64, "0")}`;

/** Reads bytes in a server's result; throws `invalid_answer` if they are malformed, or more than a proof may have. */
export function bytesOfResult(method: string, result: unknown): Uint8Array | Bytes {
  const most = 2 * MAX_PROOF_BYTES + 2;
  if (typeof result !== "string" || result.length > most) {
    const found = typeof result === "string" ? `${result.length} characters` : describe(result);
    throw wrongAnswer(method, `0x-hex of at most ${MAX_PROOF_BYTES} bytes`, found);
  }
  try {
    return fromHex(result);
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    throw wrongAnswer(method, error.details.expected, error.details.found);
  }
}

/** Reads a 256-bit integer in a server's result; throws `invalid_answer` if it is not one. */
export function integerOfResult(method: string, result: unknown): bigint {
  const digits = wordOf(result);
  if (digits) return BigInt(digits);
  throw wrongAnswer(method, "an integer of 256 bits in 0x-hex", describe(result));
}

/** The refusal of a malformed result. */
export const wrongAnswer = (method: string, expected: string, found: string): VerifyError =>
  refuse("invalid_answer", `${expected} from ${method}`, found, { scheme: "mpt" });

/** The refusal of a wrong parameter. */
export const wrong = (method: string, expected: string, found: unknown): VerifyError =>
  refuse("invalid_argument", `${expected} for ${method}`, describe(found), { scheme: "mpt" });

/** The events of a provider, as in EIP-1193. */
export interface Eip1193Events {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** Events about the wallet itself. Others, such as `message`, carry unverified data. */
const WALLET_EVENTS = new Set(["accountsChanged", "chainChanged", "connect", "disconnect"]);

/** Adds or removes a listener, if the provider has events and this one may be listened to. */
export function listen(
  provider: Eip1193Provider & Partial<Eip1193Events>,
  how: keyof Eip1193Events,
  event: string,
  listener: (...args: unknown[]) => void,
  everyEvent: boolean,
): void {
  if (!everyEvent && !WALLET_EVENTS.has(event)) return;
  if (typeof provider[how] === "function") provider[how](event, listener);
}
