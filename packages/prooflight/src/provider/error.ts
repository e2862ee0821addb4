import { describe, type Refusal, refuse, VerifyError } from "../error.js";
import { CallFailure } from "../ethereum/execution/outcome.js";
import { FittingBlocks } from "../ethereum/logs/complete.js";
import type { Reason } from "../registry.js";

/**
 * An error of EIP-1193: a request has no verified answer. `code` is a number; `data` is the `VerifyError` of this
 * package as JSON, which is also the `cause`.
 *
 * | `code` | |
 * |---|---|
 * | -32601 | the method is never answered: a local key would sign data chosen by the server (`unsupported`) |
 * | -32602 | the request is wrong (`invalid_input`) |
 * | 4200 | the method cannot be verified and is not forwarded (`unsupported`) |
 * | 4900 | no server can be reached (`unavailable` / `unreachable`) |
 * | 4901 | the wallet that should sign is on another chain (`untrusted`) |
 * | -32000 | no filter or subscription has that id (`invalid_input`) |
 * | -32001 | the servers give no answer, or nothing is trusted about the block (`unavailable`) |
 * | -32002 | the answer does not verify (`mismatch`, `malformed`, `untrusted`) |
 * | -32005 | logs take more bytes than the limit (`data.fits` has blocks whose logs may fit), too many filters or subscriptions are open (`unavailable`), or a call needs more than the limits (`invalid_input` / `call_work`, `invalid_input` / `call_state`, `invalid_input` / `call_rounds`, `unavailable` / `call_bytes`) |
 * | -32603 | a bug in Prooflight (`internal`) |
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/check-an-ethereum-rpc.md | Check an Ethereum RPC endpoint}
 *
 * @example
 * ```ts
 * import { ProviderError } from "prooflight/provider";
 *
 * try {
 *   await provider.request({ method: "eth_getBalance", params: [address, "latest"] });
 * } catch (error) {
 *   if (!(error instanceof ProviderError) || error.code !== -32002) throw error;
 *   console.error("the answer does not verify:", error.data.reason); // account_mismatch
 * }
 * ```
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: number;
  readonly data: Refusal & { fits?: { fromBlock: string; toBlock: string } };

  constructor(error: VerifyError, code: number = codeOf(error)) {
    super(error.message, { cause: error });
    this.code = code;
    const fits = error.reason === "logs_too_large" ? FittingBlocks.in(error) : undefined;
    const quantity = (number: bigint) => `0x${number.toString(16)}`;
    this.data = {
      ...error.toJSON(),
      ...(fits && { fits: { fromBlock: quantity(fits.from), toBlock: quantity(fits.to) } }),
    };
  }

  /** All members but the stack, as JSON. */
  toJSON(): { name: string; code: number; message: string; data: Refusal } {
    const { name, code, message, data } = this;
    return { name, code, message, data: { ...data } };
  }
}

function codeOf(error: VerifyError): number {
  const { code, reason, cause } = error;
  if (CALL_LIMITS.has(reason)) return -32005;
  if (code !== "unavailable") return CODES[code];
  if (reason === "logs_too_large" || reason === "busy") return -32005;
  if (reason !== "unreachable") return -32001;
  // The provider is disconnected only if none of its servers can be reached.
  const all = cause instanceof AggregateError ? (cause.errors as VerifyError[]) : [error];
  return all.every((one) => one.reason === "unreachable") ? 4900 : -32001;
}

/** The reasons of calls that need more than the limits. */
const CALL_LIMITS: ReadonlySet<Reason> = new Set([
  "call_bytes",
  "call_rounds",
  "call_state",
  "call_work",
]);

const CODES = {
  invalid_input: -32602,
  unsupported: 4200,
  mismatch: -32002,
  malformed: -32002,
  untrusted: -32002,
  internal: -32603,
} as const;

/**
 * The server's or wallet's own error for a method that was forwarded. Its code, message and data are not
 * verified.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/check-an-ethereum-rpc.md | Check an Ethereum RPC endpoint}
 *
 * @example
 * ```ts
 * import { ForwardedError } from "prooflight/provider";
 *
 * try {
 *   await provider.request({ method: "eth_requestAccounts" });
 * } catch (error) {
 *   if (!(error instanceof ForwardedError) || error.code !== 4001) throw error;
 *   console.log("the user refused"); // so says the wallet
 * }
 * ```
 */
export class ForwardedError extends Error {
  override readonly name = "ForwardedError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

/** Converts anything thrown into an error that Ethereum libraries expect. */
export function toProviderError(error: unknown): Error {
  if (error instanceof ForwardedError || error instanceof CallFailure) return error;
  return error instanceof ProviderError ? error : new ProviderError(refusalOf(error));
}

function refusalOf(error: unknown): VerifyError {
  if (error instanceof VerifyError) return error;
  return refuse("bug", "a VerifyError", describe(error), { scheme: "mpt", cause: error });
}

/** The members in which libraries have the error that they wrap. */
interface NestedError {
  cause?: unknown;
  error?: unknown;
  info?: { error?: unknown };
  data?: unknown;
}

/** The most levels that are searched; libraries wrap errors in fewer. */
const MAX_CAUSES = 8;

/**
 * The refusal in an error that viem, ethers or another library threw; undefined for a failure of another kind.
 *
 * viem keeps the refusal among the causes, ethers only a copy of its JSON. For a method that was forwarded, a server
 * can make an error look like a refusal.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/check-an-ethereum-rpc.md | Check an Ethereum RPC endpoint}
 *
 * @example
 * ```ts
 * import { refusalIn } from "prooflight/provider";
 *
 * try {
 *   console.log(await publicClient.getBalance({ address })); // viem's, with a provider of Prooflight
 * } catch (error) {
 *   const refusal = refusalIn(error);
 *   console.error(refusal ? `not verified: ${refusal.reason}` : error);
 * }
 * ```
 */
export function refusalIn(error: unknown): VerifyError | undefined {
  let found: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof found === "object" && found !== null; depth++) {
    if (found instanceof VerifyError) return found;
    if (found instanceof ForwardedError) return undefined;
    const { cause, error, info, data } = found as NestedError;
    try {
      return VerifyError.from(data);
    } catch {
      // ethers 6 has the error of a call in `info`, ethers 5 in `error`.
      found = cause ?? error ?? info?.error;
    }
  }
  return undefined;
}
