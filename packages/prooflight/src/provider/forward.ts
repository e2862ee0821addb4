/** Forwards unverifiable methods to the server: checks the request, and some of the answers. */

import { copy, toHex } from "../bytes.js";
import { describe, refuse } from "../error.js";
import { bytesLike, wordOf } from "../mpt/bytes.js";
import { MAX_PROOF_BYTES } from "../registry.js";
import { hash as wasm, init } from "../wasm/hash.js";
import { ProviderError } from "./error.js";
import { kindOf } from "./forwardable.js";
import {
  bytesOfResult,
  integerOfResult,
  listOf,
  quantity,
  type Request,
  type RequestArguments,
  wrongAnswer,
} from "./request.js";
import type { WalletServer } from "./server.js";

/** The methods that may be forwarded, the server, and the conditions. */
export interface Forwarding {
  server: WalletServer;
  chainId: bigint;
  methods: ReadonlySet<string>;
  maxFeePerGas: bigint | undefined;
  onUnverified: ((request: RequestArguments) => unknown) | undefined;
}

/** Forwards a request; throws before the server is asked if that is not allowed. */
export async function forward(to: Forwarding, request: Request): Promise<unknown> {
  const { server, maxFeePerGas } = to;
  const { method } = request;
  const kind = kindOf(method);
  await allow(to, request);
  switch (kind) {
    case "read":
      return server.forward(request, false);
    case "fee":
      return checkFees(method, await server.forward(request, false), maxFeePerGas);
    case "send":
      return sendRaw(server, request);
    case "connect":
      return server.forward(request, true);
    case "sign": {
      const onThisChain = withChain(to.chainId, request);
      await checkChain(to);
      return server.forward(onThisChain, true);
    }
  }
}

/** Throws `unverifiable_method` unless the list has the method and the application agrees. */
export async function allow(to: Forwarding, request: Request): Promise<void> {
  const { method } = request;
  if (!to.methods.has(method)) throw unverifiable("a method that may be forwarded", method);
  if (kindOf(method) === "fee" && to.maxFeePerGas === undefined) {
    throw unverifiable("maxFeePerGas, above which no fee is forwarded", `${method} without it`);
  }
  let agreed: unknown;
  try {
    // A copy, so that the application cannot change the request after it was checked.
    agreed = await to.onUnverified?.(copy(request));
  } catch (cause) {
    throw unverifiable("onUnverified to agree", `${method}, for which it threw`, cause);
  }
  if (agreed === false) throw unverifiable("onUnverified to agree", `${method}, which it refused`);
}

/** Throws `wrong_chain`, with EIP-1193's code, unless the server claims to be on the caller's chain. */
async function checkChain({ server, chainId }: Forwarding): Promise<void> {
  const answered = await server.request("eth_chainId", []);
  const digits = wordOf(answered);
  if (digits && BigInt(digits) === chainId) return;
  const found = digits ? `chain ${BigInt(digits)}` : describe(answered);
  throw new ProviderError(
    refuse("wrong_chain", `a wallet on chain ${chainId}`, found, { scheme: "mpt" }),
    4901,
  );
}

const WITH_CHAIN = new Set([
  ...["eth_signTransaction", "eth_sendTransaction"],
  ...["wallet_sendTransaction", "wallet_sendCalls"],
]);

/** Adds the chain's id to a transaction, in case the wallet switches chains before it signs. */
function withChain(chainId: bigint, request: Request): Request {
  if (!WITH_CHAIN.has(request.method)) return request;
  const [transaction, ...others] = listOf(request);
  const expected = quantity(chainId);
  if (typeof transaction === "object" && transaction !== null && !Array.isArray(transaction)) {
    const { chainId: given = expected } = transaction as { chainId?: unknown };
    const digits = wordOf(given);
    if (digits && BigInt(digits) === chainId) {
      return { ...request, params: [{ ...transaction, chainId: expected }, ...others] };
    }
    throw wrongTransaction(`a transaction for chain ${expected}`, describe(given));
  }
  throw wrongTransaction("a transaction", describe(transaction));
}

const wrongTransaction = (expected: string, found: string) =>
  refuse("invalid_argument", expected, found, { scheme: "mpt" });

const unverifiable = (expected: string, found: string, cause?: unknown) =>
  refuse("unverifiable_method", expected, found, { scheme: "mpt", cause });

/** The number of pending transactions that nodes keep for one account. */
const MAX_PENDING = 64n;

/**
 * The nonce of an account's next transaction, after its pending ones.
 *
 * No proof covers pending transactions, so the server's number is accepted within bounds: at least the verified
 * nonce, which an honest server may be behind, and at most 64 more (`account_mismatch`). A lie within the bounds
 * can delay a transaction, or make it replace another one of the same account.
 */
export async function pendingNonce(
  to: Forwarding,
  request: Request,
  verified: () => Promise<bigint>,
): Promise<bigint> {
  await allow(to, request);
  const proved = await verified();
  const claimed = integerOfResult(request.method, await to.server.forward(request, false));
  if (claimed <= proved) return proved;
  if (claimed <= proved + MAX_PENDING) return claimed;
  const expected = `a pending nonce of ${proved} to ${proved + MAX_PENDING}, the verified one being ${proved}`;
  throw refuse("account_mismatch", expected, `${claimed}`, { scheme: "mpt" });
}

/**
 * Sends a signed transaction; returns its hash.
 *
 * Throws `transaction_mismatch` if the server returns another hash. The server may have published the transaction
 * nevertheless; the error's `expected` is its hash.
 */
export async function sendRaw(server: WalletServer, request: Request): Promise<string> {
  const { method } = request;
  const given = listOf(request)[0];
  const raw = bytesLike(given, `parameter 0 of ${method}`);
  if (raw.length === 0 || raw.length > MAX_PROOF_BYTES) {
    const expected = `parameter 0 of ${method} to be a transaction of 1 to ${MAX_PROOF_BYTES} bytes`;
    throw refuse("invalid_argument", expected, `${raw.length} bytes`, { scheme: "mpt" });
  }
  await init();
  // A copy, since the caller may write to it during the request.
  const sent = raw.slice();
  const answered = bytesOfResult(method, await server.forward(request, false));
  if (answered.length !== 32) {
    throw wrongAnswer(method, "a hash of 32 bytes", `${answered.length} bytes`);
  }
  return toHex(wasm.call("mpt", (wasm) => wasm.mptVerifyTransaction(sent, answered)));
}

/** Checks the answer to a method about fees; throws `invalid_answer` if a fee is above the limit. */
export function checkFees(method: string, answer: unknown, most = 0n): unknown {
  if (method !== "eth_feeHistory") return quantity(checkFee(method, answer, most));
  const { oldestBlock, baseFeePerGas, gasUsedRatio, reward, baseFeePerBlobGas, blobGasUsedRatio } =
    membersOf(method, answer);
  const fees = (given: unknown) =>
    list(method, given).map((fee) => quantity(checkFee(method, fee, most)));
  return {
    oldestBlock: quantity(integerOfResult(method, oldestBlock)),
    baseFeePerGas: fees(baseFeePerGas),
    gasUsedRatio: ratios(method, gasUsedRatio),
    ...(reward !== undefined && { reward: list(method, reward).map(fees) }),
    ...(baseFeePerBlobGas !== undefined && { baseFeePerBlobGas: fees(baseFeePerBlobGas) }),
    ...(blobGasUsedRatio !== undefined && { blobGasUsedRatio: ratios(method, blobGasUsedRatio) }),
  };
}

function checkFee(method: string, given: unknown, most: bigint): bigint {
  const fee = integerOfResult(method, given);
  if (fee <= most) return fee;
  throw wrongAnswer(method, `at most ${most} wei for each gas, as maxFeePerGas says,`, `${fee}`);
}

function membersOf(method: string, answer: unknown): Record<string, unknown> {
  if (typeof answer === "object" && answer !== null) return answer as Record<string, unknown>;
  throw wrongAnswer(method, "an object", describe(answer));
}

/** A list; the method returns at most 1024 blocks and the next one. */
function list(method: string, given: unknown): unknown[] {
  if (Array.isArray(given) && given.length <= 1025) return [...(given as unknown[])];
  throw wrongAnswer(method, "lists of at most 1025 items", describe(given));
}

function ratios(method: string, given: unknown): number[] {
  return list(method, given).map((ratio) => {
    if (typeof ratio === "number") return ratio;
    throw wrongAnswer(method, "a number", describe(ratio));
  });
}
