import { VerifyError } from "../error.js";
import { HandedOnError } from "./error.js";

/** More levels than libraries wrap errors in. */
const DEEPEST = 8;

/**
 * The refusal in an error that viem, ethers or another library threw; undefined for a failure of another kind.
 *
 * viem keeps it among the causes; ethers only keeps a copy of its JSON. For a method that was handed on, a server
 * can make an error look like a refusal.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/check-an-ethereum-rpc.md | Check an Ethereum RPC endpoint}
 */
export function refusalIn(error: unknown): VerifyError | undefined {
  let found: unknown = error;
  for (let depth = 0; depth < DEEPEST && typeof found === "object" && found !== null; depth++) {
    if (found instanceof VerifyError) return found;
    if (found instanceof HandedOnError) return undefined;
    const { cause, error, data } = found as { cause?: unknown; error?: unknown; data?: unknown };
    try {
      return VerifyError.from(data);
    } catch {
      found = cause ?? error;
    }
  }
  return undefined;
}
