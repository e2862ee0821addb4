/** Calls of JSON-RPC 2.0 over HTTP, to an untrusted server. */

import { VerifyError } from "../error.js";
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
  const reply = await post(transport, url, requestOf(ID, { method, params }), signal);
  return resultOf(reply, url, IDS);
}

/** A call of a batch. */
export interface BatchedCall {
  method: string;
  params: object;
}

/** The unchecked result of a call, or why it has none. */
export type CallResult =
  { result: unknown; error?: never } | { error: VerifyError; result?: never };

/**
 * Calls methods by one request; returns what became of each.
 *
 * Throws `unavailable` if there is not one reply to each call: like `call`; also `invalid_reply` for any other number of
 * replies, and for a reply to another call or a second one to a call.
 */
export async function callBatch(
  transport: Transport,
  url: URL,
  calls: readonly BatchedCall[],
  signal: AbortSignal | undefined,
): Promise<CallResult[]> {
  const request = calls.map((call, index) => requestOf(index + 1, call));
  const replies = await post(transport, url, request, signal);
  if (!Array.isArray(replies) || replies.length !== calls.length) {
    throw invalidReply(url, `${calls.length} replies of JSON-RPC`, "something else");
  }
  const byId = new Map<unknown, unknown>();
  for (const reply of replies as unknown[]) {
    const { id } = Object(reply) as { id?: unknown };
    // Some servers write a number as a string.
    byId.set(typeof id === "number" ? String(id) : id, reply);
  }
  return calls.map((_, index) => {
    const id = String(index + 1);
    if (!byId.has(id)) throw invalidReply(url, `the reply to call ${id}`, "none, or another one");
    try {
      return { result: resultOf(byId.get(id), url, [index + 1, id]) };
    } catch (error) {
      if (error instanceof VerifyError) return { error };
      throw error;
    }
  });
}

const requestOf = (id: number, { method, params }: BatchedCall) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

/** Sends JSON; returns the unchecked JSON of the reply. */
async function post(
  transport: Transport,
  url: URL,
  json: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const request = {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  };
  const { body } = await exchange(transport, url, request, signal);
  return parseJson(body, transport, url);
}

/** The id of a call that is sent alone: HTTP shows which call a reply belongs to. */
const ID = 1;

/** The ids of replies to it. Some servers write a number as a string, or leave it out. */
const IDS: readonly unknown[] = [ID, String(ID), null, undefined];

function resultOf(reply: unknown, url: URL, ids: readonly unknown[]): unknown {
  if (typeof reply !== "object" || reply === null || Array.isArray(reply)) {
    throw invalidReply(url, "one reply of JSON-RPC", "something else");
  }
  const { jsonrpc, id: answered, result, error } = reply as Record<string, unknown>;
  if (jsonrpc !== "2.0") throw invalidReply(url, "a reply of JSON-RPC 2.0", "something else");
  if (error !== undefined && error !== null) {
    const failure = (typeof error === "object" ? error : { message: error }) as ServerFailure;
    throw serverError(url, readable(failure.message) || "an error without a message", failure);
  }
  if (!ids.includes(answered))
    throw invalidReply(url, `the reply to call ${String(ids[0])}`, "another one");
  if (result === undefined) throw invalidReply(url, "a result or an error", "neither");
  return result;
}
