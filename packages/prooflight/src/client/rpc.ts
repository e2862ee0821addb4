/** One JSON-RPC 2.0 call over HTTP, to an untrusted server. */

import { describe, refuse, VerifyError } from "../error.js";
import { REASONS, type Reason } from "../registry.js";
import { Utf8Decoder } from "../text.js";
import { Pieces } from "./pieces.js";

/** How calls are sent, and their limits. */
export interface Transport {
  /** Sends requests. */
  fetch: typeof fetch;
  /** The time limit of a call in milliseconds, including the wait for free memory. */
  timeout: number;
  /** The most bytes of a reply. */
  maxReplyBytes: number;
  /** The most values and objects in a reply. Default: one for each eight bytes. */
  maxReplyItems?: number | undefined;
  /** The most members of objects in a reply. Default: one for each eight bytes. */
  maxReplyMembers?: number | undefined;
  /** Waits until the reply may take this many bytes of memory. Default: it always may. */
  grow?: ((bytes: number) => Promise<void>) | undefined;
}

/**
 * The least bytes of a reply for each value, and for each member, beyond the first few.
 *
 * An empty object is three bytes of text and takes fifty bytes of memory; a new member name takes a microsecond to
 * parse. A reply of nothing else would fill the memory and block the page for seconds.
 */
const BYTES_PER_ITEM = 8;
const FEW_ITEMS = 1000;

/**
 * Calls a method; returns the unchecked result.
 *
 * Throws `unavailable` if there is no result: `unreachable`; `request_timeout`; `invalid_reply` for a reply that
 * is malformed or too large; `server_error`, or another reason of this code that the server gave. Throws the
 * reason of `signal` if that is aborted.
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
    // An application's own fetch may ignore the signal.
    return await Promise.race([
      exchange(transport, url, method, params, stop.signal),
      aborted(stop.signal),
    ]);
  } catch (error) {
    // The reason of an abort says more than the platform's error about it.
    stop.signal.throwIfAborted();
    if (error instanceof VerifyError) throw error;
    throw refuse("unreachable", `a reply of ${url.host}`, reasonOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    // Cancels a body that was not read completely.
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
    credentials: "omit",
    // Otherwise a server could make the client send requests elsewhere, even within its own network. (workerd has no
    // "error", and no `cache`, which would change nothing: replies to POST are not taken from caches.)
    redirect: "manual",
    referrerPolicy: "no-referrer",
    signal,
  });
  if (isRedirect(response)) {
    throw refuse("unreachable", `a reply of ${url.host}`, "a redirect, which is not followed");
  }
  if (!response.ok) throw serverError(url, `HTTP status ${response.status}`);
  const text = await readText(response, transport, url, signal);
  return resultOf(parse(text, transport, url), id, url);
}

/** Browsers show a redirect without its status. */
const isRedirect = ({ type, status }: Response) =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

const NEEDS_STREAM =
  "fetch to give a Response whose body is a stream, so that a reply can be bounded";

/** The whole body, if it is UTF-8 of at most `maxReplyBytes`. */
async function readText(
  response: Response,
  { maxReplyBytes, grow }: Transport,
  url: URL,
  signal: AbortSignal,
): Promise<string> {
  const { body: stream } = response as { body?: ReadableStream<Uint8Array> | null };
  if (stream === null) return "";
  // No server can cause this: React Native's fetch has no body, and that of older libraries another kind of stream.
  if (typeof stream?.getReader !== "function") {
    throw refuse("invalid_argument", NEEDS_STREAM, `${describe(stream)} as its body`);
  }
  const reader = stream.getReader();
  const body = new Pieces(maxReplyBytes);
  const growing = async (bytes: number) => {
    await grow?.(bytes);
    signal.throwIfAborted();
  };
  for (;;) {
    const { done, value } = await reader.read();
    try {
      signal.throwIfAborted();
      if (done) return new Utf8Decoder().decode(body.join());
      if (body.length + value.length > maxReplyBytes) {
        throw invalidReply(url, `at most ${maxReplyBytes} bytes`, "more");
      }
      await body.add(value, growing);
    } catch (error) {
      reader.cancel().catch(() => undefined);
      if (error instanceof VerifyError) throw error;
      throw invalidReply(url, "UTF-8", "other bytes");
    }
  }
}

/** Parses JSON. Its values and members are counted first, since parsing makes objects of them. */
function parse(text: string, transport: Transport, url: URL): unknown {
  const most = FEW_ITEMS + Math.floor(text.length / BYTES_PER_ITEM);
  const items = Math.min(transport.maxReplyItems ?? most, most);
  const members = Math.min(transport.maxReplyMembers ?? most, most);
  // Each value but the first follows one of these characters.
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

/** Counts a character in a text; stops counting above `most`. */
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

const serverError = (url: URL, found: string, cause?: unknown) =>
  refuse("server_error", `a result of ${url.host}`, found, { cause });

const invalidReply = (url: URL, expected: string, found: string) =>
  refuse("invalid_reply", `${expected} from ${url.host}`, found);

const timedOut = ({ timeout }: Transport, url: URL) =>
  refuse("request_timeout", `a reply of ${url.host} within ${timeout} ms`, "none yet");

/** Rejects with the signal's reason once it is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
  });
}

/** The platform's message. Node's is only `fetch failed`, and its cause says why. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error ? cause.message || String(cause) : String(error);
}
