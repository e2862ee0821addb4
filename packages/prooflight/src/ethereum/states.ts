/** Questions about the state after a block, which name it by its hash (EIP-1898). */

import { toHex } from "../bytes.js";
import { refuse, VerifyError } from "../error.js";
import type { Caller } from "../transport/batch.js";
import { isRateLimit } from "../transport/failure.js";
import { JsonValue, quantity } from "./json.js";

/** A verified block. */
interface VerifiedBlock {
  readonly header: { readonly hash: string; readonly number: bigint };
}

/** The URLs of servers that take only numbers. */
const NUMBER_ONLY = new WeakSet<URL>();

/**
 * Asks about the state after a block, which is the method's last parameter, and verifies the reply.
 *
 * By number, an honest server may answer about another block: after a reorganisation, or by another node behind its URL.
 * So the block is named by its hash, and by its number only for a server that refuses hashes.
 */
export async function askState<T>(
  server: Caller,
  { header }: VerifiedBlock,
  method: string,
  params: readonly unknown[],
  verify: (reply: unknown) => T,
): Promise<T> {
  const ask = async (block: unknown) =>
    verify(stateOf(await server.call(method, [...params, block]), header.hash));
  const number = quantity(header.number);
  if (NUMBER_ONLY.has(server.url)) {
    try {
      return await ask(number);
    } catch (error) {
      // The server may take hashes by now. Only a hash says for sure which block it answers about.
      if (!isMismatch(error)) throw withHint(error, header, method);
    }
  }
  try {
    const answer = await ask({ blockHash: header.hash });
    NUMBER_ONLY.delete(server.url);
    return answer;
  } catch (error) {
    if (!isError(error) || isRateLimit(error)) throw error;
  }
  try {
    const answer = await ask(number);
    NUMBER_ONLY.add(server.url);
    return answer;
  } catch (error) {
    if (!isMismatch(error)) throw withHint(error, header, method);
    if (await hasBlock(server, header)) throw error;
    const expected = `the state after block ${header.hash}`;
    throw refuse("unknown_block", expected, "that of another block of its number", {
      cause: error,
    });
  }
}

const isError = (error: unknown): error is VerifyError =>
  error instanceof VerifyError && error.reason === "server_error";

const isMismatch = (error: unknown) => error instanceof VerifyError && error.code === "mismatch";

/** Adds the likely cause if a server refuses to prove a state: nodes keep only as many states as they are set to. */
function withHint(error: unknown, { number }: VerifiedBlock["header"], method: string): unknown {
  if (!isError(error) || method !== "eth_getProof") return error;
  const { expected, found } = error.details;
  const hint = `${expected}, if its node is set to prove block ${number} (${GUIDE})`;
  return refuse("server_error", hint, found, { cause: error.cause });
}

const GUIDE = "docs/guide/follow-ethereum.md, Nodes that prove the state";

/** Whether a server's block of a number is this one. */
async function hasBlock(
  server: Caller,
  { hash, number }: VerifiedBlock["header"],
): Promise<boolean> {
  const method = "eth_getBlockByNumber";
  const reply = new JsonValue(await server.call(method, [quantity(number), false]), method);
  if (reply.value === null) return false;
  const found = reply.optional("hash")?.bytes(32);
  return found !== undefined && toHex(found) === hash;
}

/** A reply about a block that exists; throws `unknown_block` if the server does not have the block. */
function stateOf(reply: unknown, hash: string): unknown {
  if (reply !== null) return reply;
  throw refuse("unknown_block", `the state after block ${hash}`, "null");
}
