import { describe, type Refusal, refuse, VerifyError } from "../error.js";

/**
 * Why a request has no answer, as EIP-1193 has errors: `code` is a number, `data` says what this
 * package's `VerifyError` does, which is the `cause`.
 *
 * | `code` | |
 * |---|---|
 * | -32601 | nobody should answer the method: a local key would sign what the server says (`unsupported`) |
 * | -32602 | the request is wrong (`invalid_input`) |
 * | 4200 | the method cannot be verified, and may not be handed on (`unsupported`) |
 * | 4900 | the server gave no answer, or nothing is trusted about the block (`unavailable`) |
 * | 4901 | the server, which should sign, is on another chain (`untrusted`) |
 * | -32099 | the answer does not verify (`mismatch`, `malformed`, `untrusted`) |
 * | -32603 | a bug in Prooflight (`internal`) |
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: number;
  readonly data: Refusal;

  constructor(error: VerifyError, code: number = CODES[error.code]) {
    super(error.message, { cause: error });
    this.code = code;
    this.data = error.toJSON();
  }

  /** Everything but the stack, as JSON carries it. */
  toJSON(): { name: string; code: number; message: string; data: Refusal } {
    const { name, code, message, data } = this;
    return { name, code, message, data: { ...data } };
  }
}

const CODES = {
  invalid_input: -32602,
  unsupported: 4200,
  unavailable: 4900,
  mismatch: -32099,
  malformed: -32099,
  untrusted: -32099,
  internal: -32603,
} as const;

/**
 * An error that the server, or the wallet, gave for a method that was handed on: its own code,
 * message and data, of which nothing is verified.
 */
export class HandedOnError extends Error {
  override readonly name = "HandedOnError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

/** The error as libraries of Ethereum expect it, whatever was thrown. */
export function toProviderError(error: unknown, method?: string): Error {
  if (error instanceof HandedOnError) return error;
  const known = error instanceof ProviderError ? error : new ProviderError(refusalOf(error));
  return method === "eth_call" || method === "eth_estimateGas" ? withoutRevert(known) : known;
}

function refusalOf(error: unknown): VerifyError {
  if (error instanceof VerifyError) return error;
  return refuse("bug", "a VerifyError", describe(error), { scheme: "mpt", cause: error });
}

/**
 * Keeps ethers from making a revert of a refusal.
 *
 * Of these two methods it reports every error, whatever its code, as `CALL_EXCEPTION`: the contract
 * would seem to have answered. It copies `code`, `message` and `data` and writes them as JSON before
 * it does; what is thrown there reaches the caller as it is, so that a `data` without JSON throws its
 * error. The error itself, and `data` alone, have their JSON as before.
 */
function withoutRevert(error: ProviderError): ProviderError {
  const toJSON = (key: string): Refusal => {
    if (key === "data") throw error;
    return { ...error.data };
  };
  Object.defineProperty(error.data, "toJSON", { value: toJSON });
  return error;
}
