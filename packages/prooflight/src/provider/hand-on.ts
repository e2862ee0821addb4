/** Hands methods on to the server: checks the request, and for some methods the answer. */

import { copy } from "../copy.js";
import { describe, refuse } from "../error.js";
import { wordOf } from "../mpt/bytes.js";
import { ProviderError } from "./error.js";
import { checkFees } from "./fees.js";
import { kindOf } from "./handed-on.js";
import { listOf, quantity, type Request, type RequestArguments } from "./request.js";
import type { Server } from "./server.js";
import { sendRaw } from "./transaction.js";

/** The methods that may be handed on, the server, and the conditions. */
export interface HandOn {
  server: Server;
  chainId: bigint;
  methods: ReadonlySet<string>;
  maxFeePerGas: bigint | undefined;
  onUnverified: ((request: RequestArguments) => unknown) | undefined;
}

/** Hands a request on; throws before the server is asked if that is not allowed. */
export async function handOn(to: HandOn, request: Request): Promise<unknown> {
  const { server, maxFeePerGas } = to;
  const { method } = request;
  const kind = kindOf(method);
  await allow(to, request);
  switch (kind) {
    case "read":
      return server.handOn(request, false);
    case "fee":
      return checkFees(method, await server.handOn(request, false), maxFeePerGas);
    case "send":
      return sendRaw(server, request);
    case "connect":
      return server.handOn(request, true);
    case "sign": {
      const onThisChain = withChain(to.chainId, request);
      await checkChain(to);
      return server.handOn(onThisChain, true);
    }
  }
}

/** Throws `unverifiable_method` unless the list has the method and the application agrees. */
export async function allow(to: HandOn, request: Request): Promise<void> {
  const { method } = request;
  if (!to.methods.has(method)) throw unverifiable("a method that may be handed on", method);
  if (kindOf(method) === "fee" && to.maxFeePerGas === undefined) {
    throw unverifiable("maxFeePerGas, above which no fee is handed on", `${method} without it`);
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
async function checkChain({ server, chainId }: HandOn): Promise<void> {
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
