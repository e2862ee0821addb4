import { type Refusal, VerifyError } from "../error.js";

/**
 * Why a request has no answer, as EIP-1193 has errors: `code` is a number, `data` says what this
 * package's `VerifyError` does, which is the `cause`.
 *
 * | `code` | |
 * |---|---|
 * | -32602 | the request is wrong (`invalid_input`) |
 * | 4200 | the method cannot be verified (`unsupported`) |
 * | 4900 | the server gave no answer, or nothing is trusted about the block (`unavailable`) |
 * | -32099 | the answer does not verify (`mismatch`, `malformed`, `untrusted`) |
 * | -32603 | a bug in Prooflight (`internal`) |
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: number;
  readonly data: Refusal;

  constructor(error: VerifyError) {
    super(error.message, { cause: error });
    this.code = CODES[error.code];
    this.data = error.toJSON();
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

/** The same error as libraries of Ethereum expect it. */
export function toProviderError(error: unknown): unknown {
  return error instanceof VerifyError ? new ProviderError(error) : error;
}
