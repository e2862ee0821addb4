/** One call of JSON-RPC 2.0 over HTTP, to a server that may send anything. */

import { refuse, VerifyError } from "../error.js";
import { REASONS, type Reason } from "../registry.js";

/** How a server is asked. */
export interface Transport {
  /** How the platform sends requests. */
  fetch: typeof fetch;
  /** How long a call may take altogether, in milliseconds. */
  timeout: number;
  /** The most bytes of a reply. */
  maxReplyBytes: number;
  /** The most values and objects of a reply. Default: one for each eight bytes. */
  maxReplyItems?: number | undefined;
  /** The most members of objects in a reply. Default: one for each eight bytes. */
  maxReplyMembers?: number | undefined;
}

/**
 * How many bytes of a reply there are at least for each value and for each member, beyond the first few.
 *
 * An empty object takes fifty bytes of memory for three of text, and a name that no other member has takes a
 * microsecond: a reply of nothing else would fill memory, and stop the page for seconds.
 */
const BYTES_PER_ITEM = 8;
const FEW_ITEMS = 1000;

/**
 * Calls a method; gives the result, in which nothing is checked yet.
 *
 * Throws `unavailable` if there is no result: `unreachable`, `request_timeout`, `invalid_reply` for
 * what is no reply to this call, or too large, `server_error` and what reason the server gave for an
 * error. Where `signal` says to stop, its reason is thrown.
 */
export async function call(
  transport: Transport,
  url: URL,
  method: string,
  params: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const timer = setTimeout(() => {
    stop.abort(timedOut(transport, url));
  }, transport.timeout);
  const abort = () => {
    stop.abort(signal?.reason);
  };
  signal?.addEventListener("abort", abort);
  try {
    // A fetch that is not the platform's may not look at its signal.
    return await Promise.race([
      exchange(transport, url, method, params, stop.signal),
      aborted(stop.signal),
    ]);
  } catch (error) {
    // Whatever the platform makes of an abort, its cause is the one that says most.
    stop.signal.throwIfAborted();
    if (error instanceof VerifyError) throw error;
    throw refuse("unreachable", `a reply of ${url.host}`, reasonOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    // Ends a body that was not read to its end.
    stop.abort();
  }
}

async function exchange(
  transport: Transport,
  url: URL,
  method: string,
  params: object,
  signal: AbortSignal,
): Promise<unknown> {
  const id = 1;
  const { fetch } = transport;
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
    cache: "no-store",
    credentials: "omit",
    // Else a server could make the client ask others, of its own network too.
    redirect: "error",
    referrerPolicy: "no-referrer",
    signal,
  });
  if (!response.ok) throw serverError(url, `HTTP status ${response.status}`);
  const text = await readText(response, transport.maxReplyBytes, url, signal);
  return resultOf(parse(text, transport, url), id, url);
}

/** The whole body, if it is UTF-8 of at most `limit` bytes. */
async function readText(
  response: Response,
  limit: number,
  url: URL,
  signal: AbortSignal,
): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  // One buffer, since parts of one byte each would take a hundred times their size.
  let bytes = new Uint8Array(Math.min(limit, 1 << 12));
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    try {
      signal.throwIfAborted();
      if (done) return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length));
      const end = length + value.length;
      if (end > limit) throw invalidReply(url, `at most ${limit} bytes`, "more");
      if (end > bytes.length) bytes = enlarged(bytes, Math.min(limit, Math.max(end, 2 * length)));
      bytes.set(value, length);
      length = end;
    } catch (error) {
      reader.cancel().catch(() => undefined);
      if (error instanceof VerifyError) throw error;
      throw invalidReply(url, "UTF-8", "other bytes");
    }
  }
}

function enlarged(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size);
  larger.set(bytes);
  return larger;
}

/** The JSON, if it has not too much of anything; that is counted before anything is made of it. */
function parse(text: string, transport: Transport, url: URL): unknown {
  const most = FEW_ITEMS + Math.floor(text.length / BYTES_PER_ITEM);
  const items = Math.min(transport.maxReplyItems ?? most, most);
  const members = Math.min(transport.maxReplyMembers ?? most, most);
  // Every value is the first one, or stands behind one of these or in front of a comma.
  if ([",", "[", "{"].reduce((sum, character) => sum + count(text, character, items), 0) > items) {
    throw invalidReply(url, `at most ${items} values and objects`, "more");
  }
  if (count(text, ":", members) > members) {
    throw invalidReply(url, `at most ${members} members of objects`, "more");
  }
  try {
    return JSON.parse(text);
  } catch {
    const start = text.slice(0, 40).trim();
    throw invalidReply(
      url,
      "JSON",
      start ? `text that starts with ${JSON.stringify(start)}` : "nothing",
    );
  }
}

/** How often a character is in a text; it is not counted beyond `most`. */
function count(text: string, character: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0 && found <= most; found++) {
    at = text.indexOf(character, at + 1);
  }
  return found;
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

/** A server's error. Only reasons for having no answer are believed; the rest would be its word. */
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

const serverError = (url: URL, found: string, cause?: unknown) =>
  refuse("server_error", `a result of ${url.host}`, found, { cause });

const invalidReply = (url: URL, expected: string, found: string) =>
  refuse("invalid_reply", `${expected} from ${url.host}`, found);

const timedOut = ({ timeout }: Transport, url: URL) =>
  refuse("request_timeout", `a reply of ${url.host} within ${timeout} ms`, "none yet");

/** Throws the reason of an abort. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
  });
}

/** What the platform says; the useful part of Node's `fetch failed` is its cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error ? cause.message || String(cause) : String(error);
}
