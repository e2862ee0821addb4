/** One JSON-RPC 2.0 call over HTTP, to an untrusted server. */

import { refuse, type VerifyError } from "../error.js";
import { REASONS, type Reason } from "../registry.js";
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
  const id = 1;
  const request = {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
  };
  const { body } = await exchange(transport, url, request, signal);
  return resultOf(parseJson(body, transport, url), id, url);
}

function resultOf(reply: unknown, id: number, url: URL): unknown {
  if (typeof reply !== "object" || reply === null || Array.isArray(reply)) {
    throw invalidReply(url, "one reply of JSON-RPC", "something else");
  }
  const { jsonrpc, id: answered, result, error } = reply as Record<string, unknown>;
  if (jsonrpc !== "2.0") throw invalidReply(url, "a reply of JSON-RPC 2.0", "something else");
  if (error !== undefined && error !== null) throw errorOf(error, url);
  if (answered !== id) throw invalidReply(url, `the reply to call ${id}`, "another one");
  if (result === undefined) throw invalidReply(url, "a result or an error", "neither");
  return result;
}

/** Converts a server's error. Of its reasons, only those of the code `unavailable` are adopted. */
function errorOf(error: unknown, url: URL): VerifyError {
  const { message, data } = error as { message?: unknown; data?: { reason?: unknown } };
  const said = typeof message === "string" ? message.slice(0, 200) : "an error without a message";
  const reason = data?.reason;
  if (typeof reason === "string" && Object.hasOwn(REASONS, reason)) {
    if (REASONS[reason as Reason].code === "unavailable") {
      return refuse(reason as Reason, `a result of ${url.host}`, said, { cause: error });
    }
  }
  return serverError(url, said, error);
}
