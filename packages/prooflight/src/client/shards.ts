/** Servers that each prove a part of LVMT's keys. A key is requested from a server of its shard. */

import { type Bytes, toHex } from "../bytes.js";
import { refuse, type VerifyError } from "../error.js";
import type { LvmtConfig } from "../scheme-params.js";
import type { ListedServer } from "../transport/server-list.js";
import { type Server, type Servers, worstError } from "../transport/servers.js";
import { lvmt } from "../wasm/lvmt.js";

/** A raw key with the index of its entry in the root vector, which determines its class. */
export interface IndexedKey {
  key: Bytes;
  index: number;
}

/** Computes a key's index. */
export function withIndex(key: Bytes, { logN }: LvmtConfig): IndexedKey {
  return { key, index: lvmt.call("lvmt", (wasm) => wasm.lvmtIndexOf(key, logN)) };
}

/**
 * Returns an answer for each key, in order, from servers that prove its class.
 *
 * First one server is asked alone, then the others concurrently. If one fails or lies, the next that proves the
 * same keys is asked. Throws `shard_unavailable`, before any is asked, if none proves a key; otherwise like
 * `Servers.ask`.
 */
export async function askShards<T>(
  servers: Servers,
  keys: readonly IndexedKey[],
  ask: (server: Server, keys: Bytes[]) => Promise<T[]>,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  const listed = servers.inOrder();
  const lost = keys.find(({ index }) => !listed.some((server) => proves(server, index)));
  if (lost) throw unproved(lost);
  const answers = new Map<IndexedKey, T>();
  const errors = new Map<ListedServer, VerifyError>();
  while (answers.size < keys.length) {
    const open = keys.filter((key) => !answers.has(key));
    const parts = split(open, (index) => {
      const server = listed.find((server) => proves(server, index) && !errors.has(server));
      return server ?? raise(worstError([...errors.values()]));
    });
    const asked = answers.size === 0 ? parts.slice(0, 1) : parts;
    const replies = asked.map(async ([server, part]) => {
      const keys = part.map(({ key }) => key);
      const attempt = await servers.try(server, (server) => ask(server, keys), signal);
      if (attempt.error) {
        errors.set(server, attempt.error);
        return;
      }
      servers.prefer(server);
      attempt.answer.forEach((answer, at) => {
        const key = part[at];
        if (key) answers.set(key, answer);
      });
    });
    await Promise.all(replies);
  }
  return keys.flatMap((key) => answers.get(key) ?? []);
}

/** Splits the keys by the server that `choose` returns for their index. */
function split(
  keys: readonly IndexedKey[],
  choose: (index: number) => ListedServer,
): [ListedServer, IndexedKey[]][] {
  const parts = new Map<ListedServer, IndexedKey[]>();
  for (const key of keys) {
    const server = choose(key.index);
    const part = parts.get(server);
    if (part) part.push(key);
    else parts.set(server, [key]);
  }
  return [...parts];
}

/** Whether a server proves the keys of an index; one without a shard proves all. */
const proves = ({ shard }: ListedServer, index: number) =>
  shard === undefined || index % 2 ** shard.bits === shard.value;

function unproved({ key, index }: IndexedKey): VerifyError {
  const expected = "a server that proves every key";
  const found = `none for the key ${toHex(key)}, whose index is ${index}`;
  return refuse("shard_unavailable", expected, found, { scheme: "lvmt" });
}

function raise(error: Error): never {
  throw error;
}
