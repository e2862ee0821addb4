/** Who is answered: by the name under which the endpoint was asked, and by the page that asks. */

import type { IncomingHttpHeaders } from "node:http";

import { describe, refuse } from "../../../error.js";
import { parseUrl } from "../../../url.js";

/** The names of this machine for itself. */
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Extensions of browsers, from which wallets ask. A page cannot have such an origin. */
const EXTENSION = /^(chrome|moz|safari-web)-extension:\/\/[\w.-]+$/i;

/** The hosts and origins that are answered. */
export interface GuardOptions {
  /** Names beside those of this machine, each with a port or for any. */
  hosts?: readonly string[] | undefined;
  /** Origins beside those of extensions. */
  origins?: readonly string[] | undefined;
}

/**
 * Refuses requests that a page of a browser could send without the user's knowledge.
 *
 * A page of a foreign name that resolves to this machine sends that name as the host (DNS rebinding). Every other page
 * sends its origin.
 */
export class Guard {
  readonly #hosts: readonly HostName[];
  readonly #origins: ReadonlySet<string>;

  /** Throws `invalid_argument` for a host or an origin of another form. */
  constructor({ hosts = [], origins = [] }: GuardOptions = {}) {
    this.#hosts = hosts.map((host) => {
      const name = hostOf(host);
      if (name) return name;
      throw refuse("invalid_argument", "--host NAME, with or without a port", describe(host));
    });
    this.#origins = new Set(origins.map(originIn));
  }

  /** Why a request to this port is refused; undefined if it is not. */
  refusalOf({ host, origin }: IncomingHttpHeaders, port: number | undefined): string | undefined {
    if (!this.#isOwnHost(host, port)) {
      return "this host is not answered; prooflight eth serve --host NAME allows one";
    }
    if (origin === undefined || this.#isAllowed(origin)) return undefined;
    return "this origin is not answered; prooflight eth serve --origin ORIGIN allows one";
  }

  #isOwnHost(given: string | undefined, port: number | undefined): boolean {
    const asked = hostOf(given ?? "");
    if (!asked) return false;
    const askedPort = asked.port ?? 80;
    if (LOOPBACK.has(asked.name) && askedPort === port) return true;
    return this.#hosts.some(
      (host) => host.name === asked.name && (host.port === undefined || host.port === askedPort),
    );
  }

  #isAllowed(origin: string): boolean {
    return EXTENSION.test(origin) || this.#origins.has(origin.toLowerCase());
  }
}

/** A host as requests name it. */
interface HostName {
  /** In lower case; an address of IPv6 is in brackets. */
  name: string;
  port: number | undefined;
}

/** Reads a host with or without a port; undefined if it is none. */
function hostOf(given: string): HostName | undefined {
  const [, name, port] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(given) ?? [];
  if (name === undefined) return undefined;
  return { name: name.toLowerCase(), port: port === undefined ? undefined : Number(port) };
}

/** Reads an origin in the form in which browsers send it. */
function originIn(given: string): string {
  const url = parseUrl(given);
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  if (isWeb && /^https?:\/\/[^/?#@]+$/i.test(given)) return url.origin;
  if (url && !isWeb && /^[a-z][\w+.-]*:\/\/[\w.:-]+$/i.test(given)) return given.toLowerCase();
  throw refuse("invalid_argument", "--origin ORIGIN, such as https://app.example", describe(given));
}
