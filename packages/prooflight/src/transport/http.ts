/** One HTTP request to an untrusted server, with bounds on the time and the bytes of its reply. */

import { describe, refuse, VerifyError } from "../error.js";
import { type Reason, REASONS } from "../registry.js";
import { abortReason, abortWith, throwIfAborted } from "./abort.js";
import { ChunkedBuffer } from "./buffer.js";
import { failureIn, readable, type ServerFailure } from "./failure.js";

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
  /** Called with the number of bytes of a reply that was read. */
  received?: ((bytes: number) => void) | undefined;
  /** Waits until the reply may take this many bytes of memory. Default: never waits. */
  grow?: ((bytes: number) => Promise<void>) | undefined;
}

/** A request; `body` makes it a POST. */
export interface HttpRequest {
  headers: Record<string, string>;
  body?: string;
}

/** A successful reply. */
export interface Reply {
  body: Uint8Array<ArrayBuffer>;
  /** Its content type, in lower case and without parameters; empty if it has none. */
  type: string;
  /** The fork that it claims to be of, by the Beacon API's header; empty if it claims none. */
  fork: string;
}

/**
 * Sends a request.
 *
 * Throws `unavailable` if there is no successful reply: `unreachable`; `request_timeout`; `invalid_reply` for one
 * that is too large; `server_error` for a status that is not successful, or another reason of this code that the
 * server gave. Throws the reason of `signal` if that is aborted.
 */
export async function exchange(
  transport: Transport,
  url: URL,
  request: HttpRequest,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  throwIfAborted(signal);
  const stop = new AbortController();
  const timer = setTimeout(() => {
    abortWith(stop, timeoutRefusal(transport, url));
  }, transport.timeout);
  const abort = () => {
    abortWith(stop, signal && abortReason(signal));
  };
  signal?.addEventListener("abort", abort);
  try {
    // An application's own fetch may ignore the signal.
    return await Promise.race([
      send(transport, url, request, stop.signal),
      rejectOnAbort(stop.signal),
    ]);
  } catch (error) {
    // The reason of an abort says more than the platform's error about it.
    throwIfAborted(stop.signal);
    if (error instanceof VerifyError) throw error;
    throw refuse("unreachable", `a reply of ${url.host}`, reasonOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    // Cancels a body that was not read completely.
    stop.abort();
  }
}

async function send(
  transport: Transport,
  url: URL,
  { headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const { fetch } = transport;
  const response = await fetch(url, {
    ...(body === undefined ? { method: "GET" } : { method: "POST", body }),
    headers,
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
  // An application's own fetch may give a Response without headers.
  const { headers: given } = response as { headers?: Headers };
  const header = (name: string) => given?.get(name) ?? "";
  if (!response.ok) {
    const failure = await failureOf(response, transport, url, signal);
    const wait = readable(header("retry-after"));
    const retry = /^\d+$/.test(wait) ? `retry after ${wait} s` : wait && `retry after ${wait}`;
    const message = [`HTTP status ${response.status}`, readable(failure.message), retry];
    throw serverError(url, message.filter(Boolean).join(": "), failure);
  }
  const type = header("content-type");
  return {
    body: await readBody(response, transport, url, signal),
    type: type.split(";", 1).join().trim().toLowerCase(),
    fork: header("eth-consensus-version"),
  };
}

/** The most bytes that are read of a reply without success. */
const MAX_FAILURE_BYTES = 64 * 1024;

/** What a server says in a reply without success; only the status if its body cannot be read. */
async function failureOf(
  response: Response,
  { fetch, timeout }: Transport,
  url: URL,
  signal: AbortSignal,
): Promise<ServerFailure> {
  const { status } = response;
  try {
    const bounded = { fetch, timeout, maxReplyBytes: MAX_FAILURE_BYTES };
    return { ...failureIn(await readBody(response, bounded, url, signal)), status };
  } catch {
    return { status };
  }
}

/** Browsers show a redirect without its status. */
const isRedirect = ({ type, status }: Response) =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

const NEEDS_STREAM =
  "fetch to give a Response whose body is a stream, so that a reply can be bounded";

/** Timers get a turn after this many chunks: a stream that always has the next one would keep the timeout from running. */
const CHUNKS_PER_TURN = 256;

/** The whole body, if it has at most `maxReplyBytes`. */
async function readBody(
  response: Response,
  { maxReplyBytes, grow, received }: Transport,
  url: URL,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { body: stream } = response as { body?: ReadableStream<Uint8Array> | null };
  if (stream === null) return new Uint8Array();
  // No server can cause this: React Native's fetch has no body, and that of older libraries another kind of stream.
  if (typeof stream?.getReader !== "function") {
    throw refuse("invalid_argument", NEEDS_STREAM, `${describe(stream)} as its body`);
  }
  const reader = stream.getReader();
  const body = new ChunkedBuffer(maxReplyBytes);
  const growBody = async (bytes: number) => {
    await grow?.(bytes);
    throwIfAborted(signal);
  };
  for (let chunks = 1; ; chunks++) {
    const { done, value } = await reader.read();
    if (chunks % CHUNKS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve));
    try {
      throwIfAborted(signal);
      if (done) {
        received?.(body.length);
        return body.join();
      }
      if (body.length + value.length > maxReplyBytes) {
        throw invalidReply(url, `at most ${maxReplyBytes} bytes`, "more");
      }
      await body.add(value, growBody);
    } catch (error) {
      reader.cancel().catch(() => undefined);
      throw error;
    }
  }
}

/** The refusal of a server's error. Of the reasons that it gives, only those of the code `unavailable` are adopted. */
export function serverError(url: URL, found: string, cause: ServerFailure): VerifyError {
  const { reason } = Object(cause.data) as { reason?: unknown };
  const isKnown = typeof reason === "string" && Object.hasOwn(REASONS, reason);
  const adopted = isKnown && REASONS[reason as Reason].code === "unavailable";
  return refuse(adopted ? (reason as Reason) : "server_error", `a result of ${url.host}`, found, {
    cause,
  });
}

/** The refusal of a reply that is not what was asked for. */
export const invalidReply = (url: URL, expected: string, found: string) =>
  refuse("invalid_reply", `${expected} from ${url.host}`, found);

const timeoutRefusal = ({ timeout }: Transport, url: URL) =>
  refuse("request_timeout", `a reply of ${url.host} within ${timeout} ms`, "none yet");

/** Rejects with the signal's reason once it is aborted. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason may be anything
      reject(abortReason(signal));
    });
  });
}

/** The platform's message. Node's is only `fetch failed`, and its cause says why. */
function reasonOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return cause instanceof Error ? cause.message || String(cause) : String(error);
}
