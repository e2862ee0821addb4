/** The servers that an application lists, with their names and shards. */

import { Arguments, invalid } from "../arguments.js";
import { refuse } from "../error.js";
import { Address, foundInstead } from "./address.js";

/** A server as the application listed it. */
export interface ListedServer {
  readonly address: Address;
  /** What may be shown of its URL; different for each server of a client. */
  readonly name: string;
  /** The part of LVMT's keys that it proves; undefined for all. */
  readonly shard: Shard | undefined;
}

type UnnamedServer = Omit<ListedServer, "name">;

/** Reads a URL, or a URL with the shard of its server; throws `invalid_argument`. */
export function parseServer(given: unknown, index: number): UnnamedServer {
  if (typeof given !== "object" || given === null || given instanceof URL) {
    return { address: addressOf(given), shard: undefined };
  }
  const path = `urls[${index}]`;
  const members = new Arguments(undefined, given, ["url", "shard"], path);
  const shard = readShard(members.unchecked("shard"), `${path}.shard`);
  return { address: addressOf(members.unchecked("url")), shard };
}

/** Names servers by their origins. Servers of the same origin get their number in the list. */
export function nameServers(listed: readonly UnnamedServer[]): ListedServer[] {
  return listed.map((server, index) => {
    const { origin } = server.address;
    const isAlone = listed.every((other) => other === server || other.address.origin !== origin);
    return { ...server, name: isAlone ? origin : `${origin} (server ${index + 1})` };
  });
}

function addressOf(given: unknown): Address {
  const { location } = globalThis as { location?: Location };
  const base = location?.protocol.startsWith("http") ? location.href : undefined;
  const isText = typeof given === "string" || given instanceof URL;
  const address = isText ? Address.read(given, base) : undefined;
  if (address) return address;
  throw refuse("invalid_argument", "an http or https URL of a server", foundInstead(given));
}

/** The keys that a server proves: those whose class, the low `bits` bits of their index, is `value`. */
export interface Shard {
  /** The number of bits of a class, 0 to 16. `2^bits` such servers together prove all keys. */
  bits: number;
  /** The class, below `2^bits`. */
  value: number;
}

/** Checks the form of a shard; throws `invalid_argument`. */
export function readShard(given: unknown, path: string): Shard {
  const members = new Arguments("lvmt", given, ["bits", "value"], path);
  const [bits, value] = [members.u32("bits"), members.u32("value")];
  if (bits > 16) throw invalid("lvmt", `${path}.bits`, "at most 16", `${bits}`);
  if (value >= 2 ** bits) throw invalid("lvmt", `${path}.value`, `below 2^${bits}`, `${value}`);
  return { bits, value };
}
