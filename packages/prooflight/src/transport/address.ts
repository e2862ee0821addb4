/** The address of a server, whose URL may have a user, a password and keys that only this server may see. */

import { describe, VerifyError } from "../error.js";
import { Utf8Encoder } from "../platform.js";
import { originOf, parseUrl } from "../url.js";

/** The address of a server. */
export class Address {
  /** The URL without user, password and fragment. Only its origin may be shown. */
  readonly url: URL;
  /** The origin of the URL. */
  readonly origin: string;
  /** Headers of each request: basic authentication, if the URL has a user or password. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parts of the URL that are not shown, the longest first. */
  readonly #secrets: readonly string[];

  /** Reads an http or https URL; returns undefined for anything else. */
  static read(given: string | URL, base?: string): Address | undefined {
    const url = parseUrl(String(given), base);
    return url && /^https?:$/.test(url.protocol) ? new Address(url) : undefined;
  }

  private constructor(url: URL) {
    const { username, password, hash } = url;
    this.origin = `${originOf(url)}/`;
    const user = `${decoded(username)}:${decoded(password)}`;
    const credentials = user === ":" ? undefined : base64(new Utf8Encoder().encode(user));
    this.headers = credentials === undefined ? {} : { authorization: `Basic ${credentials}` };
    this.#secrets = partsOf(url, credentials);
    // React Native's URL has no setters.
    if (credentials !== undefined) [url.username, url.password] = ["", ""];
    if (hash !== "") url.hash = "";
    this.url = url;
  }

  /** Sends requests with the headers of this address. */
  fetchBy(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    if (Object.keys(this.headers).length === 0) return fetch;
    return async (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...(init?.headers as Record<string, string>), ...this.headers },
      });
  }

  /** The same error without what is secret in the URL, which servers and platforms like to repeat. */
  conceal(error: unknown): unknown {
    const parts = this.#secrets;
    if (parts.length === 0 || !(error instanceof VerifyError)) return error;
    // Errors of subclasses contain no text of servers.
    if (Object.getPrototypeOf(error) !== VerifyError.prototype) return error;
    const secrets = secretPattern(parts);
    const hide = (text: string) => withoutCutSecret(text.replace(secrets, "$1…"), parts);
    const { message, expected, found, ...rest } = error.toJSON();
    const { cause } = error;
    const shown = { message: hide(message), expected: hide(expected), found: hide(found) };
    const isClean = shown.message === message && shown.found === found;
    if (isClean && shown.expected === expected && !containsSecret(cause, secrets)) return error;
    const clean = concealedCause(cause, secrets, hide);
    return new VerifyError(
      { ...rest, ...shown },
      clean === undefined ? undefined : { cause: clean },
    );
  }
}

/** Describes a value that is no address without repeating it: one wrong letter makes no URL of a secret one. */
export function foundInstead(given: unknown): string {
  if (typeof given !== "string" && !(given instanceof URL)) return describe(given);
  const [, scheme] = /^([a-z]+):\/\//i.exec(String(given)) ?? [];
  const isUrl = scheme !== undefined && parseUrl(String(given)) !== undefined;
  return isUrl ? `a URL that begins with ${scheme}://` : "a string that is no URL";
}

/** A server's error of JSON-RPC without the secrets. A platform's error that contains a secret becomes undefined. */
function concealedCause(cause: unknown, secrets: RegExp, hide: (text: string) => string): unknown {
  if (!containsSecret(cause, secrets)) return cause;
  if (cause instanceof Error) return undefined;
  try {
    return JSON.parse(hide(JSON.stringify(cause)));
  } catch {
    return undefined;
  }
}

/** Whether a value that is printed with an error contains a secret. */
function containsSecret(value: unknown, secrets: RegExp, depth = 0): boolean {
  if (typeof value === "string") return value.search(secrets) >= 0;
  if (typeof value !== "object" || value === null) return false;
  if (depth > 8) return true;
  try {
    const hidden = value instanceof Error ? [value.message, value.cause] : [];
    return [...hidden, ...(Object.entries(value) as unknown[][]).flat()].some((part) =>
      containsSecret(part, secrets, depth + 1),
    );
  } catch {
    return true; // A getter threw.
  }
}

/** Shorter parts, such as `v3` or `eth`, are words of messages, and no secrets. */
const MIN_SECRET_CHARACTERS = 4;

/** The parts of a URL beyond its origin, in the forms in which they may be repeated, the longest first. */
function partsOf(url: URL, credentials = ""): string[] {
  const { username, password, pathname, search, hash } = url;
  const query = search.slice(1).split("&");
  const whole = [username, password, credentials, pathname, search, `${pathname}${search}`, hash];
  const parts = [
    ...pathname.split("/"),
    ...query,
    ...query.map((member) => member.slice(member.indexOf("=") + 1)),
    hash.slice(1),
  ];
  const all = [...whole, ...parts].flatMap((part) => [part, decoded(part)]);
  return [...new Set(all)]
    .filter((part) => part.length >= MIN_SECRET_CHARACTERS)
    .sort((one, other) => other.length - one.length);
}

/** Matches the parts where they are not inside of a word; the first group is the character before. */
function secretPattern(parts: readonly string[]): RegExp {
  const among = (some: readonly string[]) =>
    some.map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|");
  const isWord = (part: string) => /^\w/.test(part);
  const words = among(parts.filter(isWord));
  const others = among(parts.filter((part) => !isWord(part)));
  const either = [
    ...(words ? [`(^|\\W|_)(?:${words})`] : []),
    ...(others ? [`(?:${others})`] : []),
  ];
  return new RegExp(`(?:${either.join("|")})(?![A-Za-z0-9])`, "g");
}

/** A text without the beginning of a part at its end: servers and platforms cut long texts. */
function withoutCutSecret(text: string, parts: readonly string[]): string {
  const end = /…?"?$/.exec(text)?.index ?? text.length;
  const before = text.slice(0, end);
  for (const part of parts) {
    for (let length = part.length - 1; length >= MIN_SECRET_CHARACTERS; length--) {
      if (before.endsWith(part.slice(0, length))) {
        return `${before.slice(0, -length)}…${text.slice(end)}`;
      }
    }
  }
  return text;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** React Native has no `btoa`. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(start, start + 3);
    const word = (first << 16) | (second << 8) | third;
    const digits = [18, 12, 6, 0].map((shift) => BASE64_DIGITS.charAt((word >> shift) & 63));
    text += digits
      .slice(0, Math.min(bytes.length - start, 3) + 1)
      .join("")
      .padEnd(4, "=");
  }
  return text;
}
