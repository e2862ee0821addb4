/** Questions about the state after a block, which name it by its hash (EIP-1898). */

import type { Server } from "../client/servers.js";
import { refuse, VerifyError } from "../error.js";
import { Given, quantity } from "./json.js";

/** A verified block. */
interface Named {
  readonly header: { readonly hash: string; readonly number: bigint };
}

/** The URLs of servers that answered by number only. */
const BY_NUMBER = new WeakSet<URL>();

/**
 * Asks about the state after a block, which is the method's last parameter, and verifies the reply.
 *
 * By number, an honest server may answer about another block after a reorganisation. So the block is named by its hash,
 * and by its number only for a server that refuses hashes.
 */
export async function askState<T>(
  server: Server,
  block: Named,
  method: string,
  params: readonly unknown[],
  verify: (reply: unknown) => T,
): Promise<T> {
  const { hash } = block.header;
  if (BY_NUMBER.has(server.url)) return byNumber(server, block, method, params, verify);
  let reply: unknown;
  try {
    reply = await server.call(method, [...params, { blockHash: hash }]);
  } catch (error) {
    if (!(error instanceof VerifyError) || error.reason !== "server_error") throw error;
    const answer = await byNumber(server, block, method, params, verify);
    BY_NUMBER.add(server.url);
    return answer;
  }
  return verify(stateOf(reply, hash));
}

async function byNumber<T>(
  server: Server,
  { header }: Named,
  method: string,
  params: readonly unknown[],
  verify: (reply: unknown) => T,
): Promise<T> {
  const number = quantity(header.number);
  const reply = stateOf(await server.call(method, [...params, number]), header.hash);
  try {
    return verify(reply);
  } catch (error) {
    if (!(error instanceof VerifyError) || error.code !== "mismatch") throw error;
    const named = "eth_getBlockByNumber";
    const block = new Given(await server.call(named, [number, false]), named);
    const found = block.value === null ? null : block.optional("hash")?.value;
    if (found === header.hash) throw error;
    const expected = `the state after block ${header.hash}`;
    throw refuse("unknown_block", expected, "that of another block of its number", {
      cause: error,
    });
  }
}

/** A reply about a block that exists: a server without it gives no answer. */
function stateOf(reply: unknown, hash: string): unknown {
  if (reply !== null) return reply;
  throw refuse("unknown_block", `the state after block ${hash}`, "null");
}
