import { describe, type Refusal, refuse, VerifyError } from "../error.js";
import { FittingBlocks } from "../ethereum/logs/complete.js";

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
 * | -32005 | logs take more bytes than the limit (`data.fits` has blocks whose logs may fit), or too many filters or subscriptions are open (`unavailable`) |
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
  if (code !== "unavailable") return CODES[code];
  if (reason === "logs_too_large" || reason === "busy") return -32005;
  if (reason !== "unreachable") return -32001;
  // The provider is disconnected only if none of its servers can be reached.
  const all = cause instanceof AggregateError ? (cause.errors as VerifyError[]) : [error];
  return all.every((one) => one.reason === "unreachable") ? 4900 : -32001;
}

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
export function toProviderError(error: unknown, method?: string): Error {
  if (error instanceof ForwardedError) return error;
  const known = error instanceof ProviderError ? error : new ProviderError(refusalOf(error));
  return method === "eth_call" || method === "eth_estimateGas" ? withoutRevert(known) : known;
}

function refusalOf(error: unknown): VerifyError {
  if (error instanceof VerifyError) return error;
  return refuse("bug", "a VerifyError", describe(error), { scheme: "mpt", cause: error });
}

/**
 * Keeps ethers from presenting a refusal as a revert.
 *
 * For these two methods ethers reports every error as `CALL_EXCEPTION`, as if the contract had answered. Before that,
 * ethers copies `code`, `message` and `data` and serialises the copy, and an error in this step reaches the caller. So
 * `data`, as a member named `data`, throws the error when it is serialised. The error itself, and `data` alone, still
 * have their JSON.
 *
 * ethers 5 searches everything that `for … in` finds in an error for the data of a revert. No program copies inherited
 * members, so an inherited member throws the error.
 */
function withoutRevert(error: ProviderError): ProviderError {
  const toJSON = (key: string): Refusal => {
    if (key === "data") throw error;
    return { ...error.data };
  };
  Object.defineProperty(error.data, "toJSON", { value: toJSON });
  const get = () => {
    throw error;
  };
  const inherited = Object.create(Object.prototype, {
    refusal: { enumerable: true, get },
  }) as object;
  Object.setPrototypeOf(error.data, inherited);
  return error;
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
    const { cause, error, data } = found as { cause?: unknown; error?: unknown; data?: unknown };
    try {
      return VerifyError.from(data);
    } catch {
      found = cause ?? error;
    }
  }
  return undefined;
}
