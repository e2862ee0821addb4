/** One JSON-RPC 2.0 call over HTTP, to an untrusted server. */

import { readable, type ServerFailure } from "./failure.js";
import { exchange, invalidReply, serverError, type Transport } from "./http.js";
import { parseJson } from "./json.js";

/**
 * Calls a method; returns the unchecked result.
 *
 * Throws `unavailable` if there is no result: like `exchange` of `http.ts`; `invalid_reply` for a reply that is
 * malformed; `server_error`, or another reason of this code that the server gave.
 */
export async function call(
  transport: Transport,
  url: URL,
  method: string,
  params: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const request = {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: ID, method, params }),
  };
  const { body } = await exchange(transport, url, request, signal);
  return resultOf(parseJson(body, transport, url), url);
}

/** The id of every call: HTTP shows which call a reply belongs to. */
const ID = 1;

/** The ids of replies. Some servers write a number as a string, or leave it out. */
const IDS: readonly unknown[] = [ID, String(ID), null, undefined];

function resultOf(reply: unknown, url: URL): unknown {
  if (typeof reply !== "object" || reply === null || Array.isArray(reply)) {
    throw invalidReply(url, "one reply of JSON-RPC", "something else");
  }
  const { jsonrpc, id: answered, result, error } = reply as Record<string, unknown>;
  if (jsonrpc !== "2.0") throw invalidReply(url, "a reply of JSON-RPC 2.0", "something else");
  if (error !== undefined && error !== null) {
    const failure = (typeof error === "object" ? error : { message: error }) as ServerFailure;
    throw serverError(url, readable(failure.message) || "an error without a message", failure);
  }
  if (!IDS.includes(answered)) throw invalidReply(url, `the reply to call ${ID}`, "another one");
  if (result === undefined) throw invalidReply(url, "a result or an error", "neither");
  return result;
}
