/** The address on which the endpoint listens. */

import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, refuse } from "../../../error.js";

/** The address that geth has, too. */
const DEFAULT = "127.0.0.1:8545";

/** An address of this machine. */
export interface ListenAddress {
  /** An address of IPv6 has no brackets. */
  host: string;
  port: number;
}

/** The address that `--listen` names. */
export function listenAddress(given = DEFAULT): ListenAddress {
  const [, host, port] = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(given) ?? [];
  if (host === undefined || Number(port) > 65535) {
    throw refuse("invalid_argument", `--listen HOST:PORT, such as ${DEFAULT}`, describe(given));
  }
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** Whether only programs of this machine can reach an address. */
export const isLoopback = ({ host }: ListenAddress): boolean =>
  host === "localhost" || host === "::1" || /^127\.[\d.]+$/.test(host);

/** Starts to listen; returns the URL. Throws `invalid_argument` if that is not possible there. */
export async function listen(server: Server, address: ListenAddress): Promise<string> {
  try {
    await once(server.listen(address.port, address.host), "listening");
  } catch (cause) {
    const found = PROBLEMS[String((cause as { code?: unknown }).code)] ?? String(cause);
    const at = `${inUrl(address.host)}:${address.port}`;
    throw refuse("invalid_argument", `--listen ${at} to be free and of this machine`, found, {
      cause,
    });
  }
  const { port } = server.address() as AddressInfo;
  return `http://${inUrl(address.host)}:${port}`;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: "a port that another program uses",
  EADDRNOTAVAIL: "an address that this machine does not have",
  EACCES: "a port that needs more rights",
  ENOTFOUND: "a name without an address",
};

const inUrl = (host: string) => (host.includes(":") ? `[${host}]` : host);
