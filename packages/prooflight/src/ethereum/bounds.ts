/** Bounds of replies: the most that an honest answer can need, and a margin. */

import type { Bounds } from "../client/bounds.js";
import { mostReplyBytes } from "../mpt/reply-size.js";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Methods and resources by the most bytes of their replies. */
const MOST: readonly (readonly [string, number])[] = [
  // Of SSZ in JSON: an update has 513 keys of 48 bytes, in about twice as many characters.
  ["/eth/v1/beacon/light_client/updates", 4 * MIB],
  ["/eth/v1/beacon/light_client/bootstrap", MIB],
  ["/eth/v1/beacon/light_client/", 64 * KIB],
  ["eth_getHeaderBy", 64 * KIB],
  ["eth_getTransactionByHash", 4 * MIB],
  ["eth_getCode", MIB],
];

/** The bounds of the reply to a method, or of the resource at a path. */
export function boundsOf(method: string, params: object): Bounds {
  const found = MOST.find(([name]) => method.startsWith(name))?.[1];
  // Blocks with hashes have at most a few thousand of them; with transactions, whatever the gas allows.
  const isHeader = method.startsWith("eth_getBlockBy") && (params as unknown[])[1] === false;
  const bytes = isHeader ? MIB : (found ?? mostReplyBytes(method, params) ?? Infinity);
  return { bytes, items: Infinity, members: Infinity, passing: true };
}
