/** What servers say about a failure. All of it is untrusted, and only explains a refusal. */

import type { VerifyError } from "../error.js";
import { Utf8Decoder } from "../platform.js";

/** The cause of `server_error`: the server's error of JSON-RPC, and the HTTP status if that is not successful. */
export interface ServerFailure {
  status?: number;
  code?: unknown;
  message?: unknown;
  data?: unknown;
}

/** The most characters of a message. */
const MAX_MESSAGE_CHARACTERS = 200;

/** Text of a server for one line: without control characters, and at most 200 characters. Empty for other values. */
export function readable(given: unknown): string {
  if (typeof given !== "string") return "";
  // A character may have two code units, and runs of spaces become one.
  const start = given.slice(0, 16 * MAX_MESSAGE_CHARACTERS).replace(/[\p{C}\p{Z}]+/gu, " ");
  const characters = Array.from(start.trim());
  const isLonger = characters.length > MAX_MESSAGE_CHARACTERS;
  return characters.slice(0, MAX_MESSAGE_CHARACTERS).join("") + (isLonger ? "…" : "");
}

/** Reads the body of a reply without success: JSON-RPC, JSON of a beacon node or a gateway, or plain text. */
export function failureIn(body: Uint8Array): ServerFailure {
  const text = textOf(body);
  try {
    const json: unknown = JSON.parse(text);
    return members(Array.isArray(json) ? (json[0] as unknown) : json);
  } catch {
    // A page is for people with a browser.
    return text.trimStart().startsWith("<") ? {} : { message: text };
  }
}

function members(json: unknown): ServerFailure {
  if (typeof json !== "object" || json === null) return { message: json };
  const { error, message, detail, title, errors } = json as Record<string, unknown>;
  if (typeof error === "object" && error !== null) {
    const { code, message, data } = error as ServerFailure;
    return { code, message, data };
  }
  const [first] = Array.isArray(errors) ? (errors as ({ message?: unknown } | null)[]) : [];
  const all = [message, error, detail, title, first?.message];
  return { message: all.find((text) => readable(text) !== "") };
}

function textOf(body: Uint8Array): string {
  try {
    return new Utf8Decoder().decode(body);
  } catch {
    return "";
  }
}

/** The codes of JSON-RPC for too many requests: of EIP-1474, and of providers. */
const LIMIT_CODES: readonly unknown[] = [-32005, -32029, 429];

/** Whether a server refuses any request for now, so that another request does not help. */
export function isRateLimit(error: VerifyError): boolean {
  const { status, code, message } = (error.cause ?? {}) as ServerFailure;
  return (
    status === 429 ||
    LIMIT_CODES.includes(code) ||
    /rate.?limit|too many requests/i.test(String(message))
  );
}

/** The codes of JSON-RPC for an unknown method, and for parameters of another form. */
const FORM_CODES: readonly unknown[] = [-32600, -32601, -32602];

/** The HTTP statuses for the same. */
const FORM_STATUSES: readonly unknown[] = [400, 404, 405, 501];

/** Whether a server does not have a method, or not with such parameters: it will not have it the next time either. */
export function isUnknownMethod(error: VerifyError): boolean {
  const { status, code } = (error.cause ?? {}) as ServerFailure;
  return FORM_CODES.includes(code) || FORM_STATUSES.includes(status);
}
