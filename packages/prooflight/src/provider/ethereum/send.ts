/** Sends transactions that are signed already. */

import type { Hex } from "../../bytes.js";
import { refuse, VerifyError } from "../../error.js";
import { decodeSent, type SignedTransaction } from "../../ethereum/transactions.js";
import { bytesLike } from "../../mpt/bytes.js";
import { MAX_PROOF_BYTES } from "../../registry.js";
import { ProviderError } from "../error.js";
import { errorOf } from "../server.js";
import type { Method } from "./chain.js";

/** The messages of nodes that have a transaction already. */
const ALREADY_KNOWN = /already known|already imported|known transaction/i;

/** Sends a transaction for this chain to the first server that accepts it; returns its hash, computed here. */
export const sendRawTransaction: Method = async (chain, params, name) => {
  const { follower, chainId } = chain.settings;
  const raw = bytesLike(params[0], `parameter 0 of ${name}`).slice();
  const transaction = readTransaction(raw, name);
  const { hash, chainId: given } = transaction;
  if (given !== chainId) {
    const found = given === undefined ? "one for any chain" : `one for chain ${given}`;
    const expected = `a transaction for chain ${chainId}`;
    throw new ProviderError(refuse("wrong_chain", expected, found), -32602);
  }
  await follower
    .send(async (server) => {
      try {
        await server.call(name, [params[0]]);
      } catch (error) {
        const nodeError = nodeErrorOf(error);
        // Without a reply, the server may have received it.
        if (!nodeError) chain.sent.add(transaction, false);
        // Only for a transaction that this provider sent: a server could claim to know any other.
        if (!nodeError || !ALREADY_KNOWN.test(nodeError.message) || !chain.sent.has(hash))
          throw error;
      }
    })
    .catch((error: unknown) => {
      throw nodeErrorOf(error) ?? error;
    });
  chain.sent.add(transaction, true);
  return hash satisfies Hex;
};

function readTransaction(raw: Uint8Array, name: string): SignedTransaction {
  const expected = `parameter 0 of ${name} to be a signed transaction`;
  if (raw.length > MAX_PROOF_BYTES) {
    throw refuse("invalid_argument", expected, `${raw.length} bytes`);
  }
  try {
    return decodeSent(raw);
  } catch (cause) {
    if (!(cause instanceof VerifyError) || cause.code === "internal") throw cause;
    throw refuse(
      "invalid_argument",
      `${expected}: ${cause.details.expected}`,
      cause.details.found,
      {
        cause,
      },
    );
  }
}

/** A node's own error, such as that a nonce is too low, which it may make up. */
function nodeErrorOf(error: unknown): Error | undefined {
  if (!(error instanceof VerifyError)) return undefined;
  if (!(error.cause instanceof AggregateError)) return errorOf(error);
  return error.cause.errors.map(nodeErrorOf).find((found) => found);
}
