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
    const secrets = expressionOf(parts);
    const hide = (text: string) => withoutCut(text.replace(secrets, "$1…"), parts);
    const { message, expected, found, ...rest } = error.toJSON();
    const { cause } = error;
    const shown = { message: hide(message), expected: hide(expected), found: hide(found) };
    const isClean = shown.message === message && shown.found === found;
    if (isClean && shown.expected === expected && !holds(cause, secrets)) return error;
    const clean = concealedCause(cause, secrets, hide);
    return new VerifyError(
      { ...rest, ...shown },
      clean === undefined ? undefined : { cause: clean },
    );
  }
}

/** Describes what is no address. It may still be secret, if a letter of it is wrong. */
export function foundInstead(given: unknown): string {
  if (typeof given !== "string" && !(given instanceof URL)) return describe(given);
  const [, scheme] = /^([a-z]+):\/\//i.exec(String(given)) ?? [];
  const isUrl = scheme !== undefined && parseUrl(String(given)) !== undefined;
  return isUrl ? `a URL that begins with ${scheme}://` : "a string that is no URL";
}

/** A server's error of JSON-RPC without the secrets; nothing of a platform's error that contains one. */
function concealedCause(cause: unknown, secrets: RegExp, hide: (text: string) => string): unknown {
  if (!holds(cause, secrets)) return cause;
  if (cause instanceof Error) return undefined;
  try {
    return JSON.parse(hide(JSON.stringify(cause)));
  } catch {
    return undefined;
  }
}

/** Whether something that is printed with an error contains a secret. */
function holds(thing: unknown, secrets: RegExp, depth = 0): boolean {
  if (typeof thing === "string") return thing.search(secrets) >= 0;
  if (typeof thing !== "object" || thing === null) return false;
  if (depth > 8) return true;
  try {
    const hidden = thing instanceof Error ? [thing.message, thing.cause] : [];
    return [...hidden, ...(Object.entries(thing) as unknown[][]).flat()].some((part) =>
      holds(part, secrets, depth + 1),
    );
  } catch {
    return true; // A getter threw.
  }
}

/** Shorter parts, such as `v3` or `eth`, are words of messages, and no secrets. */
const SHORTEST_SECRET = 4;

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
    .filter((part) => part.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);
}

/** Finds the parts where they are not inside of a word; the first group is what stands before. */
function expressionOf(parts: readonly string[]): RegExp {
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

/** A text without the beginning of a part at its end, where long text of others is cut. */
function withoutCut(text: string, parts: readonly string[]): string {
  const end = /…?"?$/.exec(text)?.index ?? text.length;
  const before = text.slice(0, end);
  for (const part of parts) {
    for (let length = part.length - 1; length >= SHORTEST_SECRET; length--) {
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

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** React Native has no `btoa`. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
    const word = (first << 16) | (second << 8) | third;
    const digits = [18, 12, 6, 0].map((shift) => DIGITS.charAt((word >> shift) & 63));
    text += digits
      .slice(0, Math.min(bytes.length - at, 3) + 1)
      .join("")
      .padEnd(4, "=");
  }
  return text;
}
