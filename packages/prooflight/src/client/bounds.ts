/** Bounds of replies: the most that an honest answer to a question can need, and a margin. */

import { parseQuantity } from "../bytes.js";
import type { ChainConfig } from "../chain/checkpoint.js";
import { MAX_PROOF_BYTES } from "../registry.js";
import { lvmtConfig } from "../scheme-params.js";
import type { ReplyBounds } from "../transport/servers.js";
import { MAX_DIFF_HEADERS, MAX_HISTORY_HEADERS, MAX_PATH_HASHES } from "./replies.js";

/** The margin: members that repeat data in readable form, and errors. */
const EXTRA_BYTES = 64 * 1024;
const EXTRA_ITEMS = 500;
/** The proof of one key in a tree: at most 256 levels, each a hash and a few more bytes. */
const KEY_BYTES = 16 * 1024;
/** The proof of one key in a trie of LMPT: at most 64 levels, with a branch of 16 hashes each. */
const LMPT_LAYER_BYTES = 64 * 536;
/** The layers of LMPT. Each may prove a key's absence by the leaf of another key, with its value. */
const LMPT_LAYERS = 3;
/** The proof of one key at one level of LVMT: an entry, its points, and six leaves with their paths in two trees. */
const LVMT_LEVEL_BYTES = 24 * 1024;
/** A way of AMB to one key: a closed node beside each of its bits, of which each byte has nine. */
const AMB_BIT_BYTES = 60;
/** The ages of the versions of a key, and the hashes that prove them. */
const AMB_VERSIONS_BYTES = 8 * 1024;
/** A page of AMB: a server cuts it after 2 MiB, or after its first entry, which may take 600 KB. */
const AMB_PAGE_BYTES = 3 * 1024 * 1024;
/** The operations of a block, each with its key, its value, and 20 more bytes. */
const BLOCK_BYTES = 8 * 1024 * 1024;
/** A hash in JSON, with quotes and a comma. */
const HASH_JSON = 69;

/** The bounds of the reply to a call, from the pinned chain configuration. */
export function boundsOf(config: ChainConfig, method: string, params: object): ReplyBounds {
  const header = headerJson(config);
  const { maxKey, maxValue, maxOps } = config.limits;
  const { scheme, keys, from, to } = params as Record<string, unknown>;
  const perKey = maxValue + KEY_BYTES;
  switch (method) {
    case "prooflight_headerProof":
      return { ...bounds(2 * header + MAX_PATH_HASHES * HASH_JSON), transient: true };
    case "prooflight_prove": {
      return bounds(header + proofJson((keys as unknown[]).length * keyBytes(config, scheme)));
    }
    case "prooflight_history": {
      const blocks = blocksIn(from, to);
      const headers = Math.min(MAX_HISTORY_HEADERS, blocks + 2);
      const hashes = headers * MAX_PATH_HASHES;
      const proof = (blocks + 2) * perKey + (scheme === "amb" ? ambPathBytes(config) : 0);
      const bytes = (1 + headers) * header + hashes * HASH_JSON + proofJson(proof);
      return bounds(bytes, headers + hashes);
    }
    case "prooflight_diff": {
      const hashes = MAX_DIFF_HEADERS * MAX_PATH_HASHES;
      return bounds(3 * header + hashes * HASH_JSON + proofJson(Infinity), hashes);
    }
    case "prooflight_range":
      return bounds(header + proofJson(AMB_PAGE_BYTES + maxValue));
    case "prooflight_count":
      return bounds(header + proofJson(2 * ambPathBytes(config)));
    case "prooflight_block": {
      const ops = 2 * Math.min(BLOCK_BYTES, maxOps * (maxKey + maxValue + 20));
      return bounds(header + ops + proofJson(Infinity), 4 * maxOps, 3 * maxOps);
    }
    default:
      return bounds(Infinity);
  }
}

const bounds = (bytes: number, items = 0, members = 0): ReplyBounds => ({
  bytes: EXTRA_BYTES + bytes,
  items: EXTRA_ITEMS + items,
  members: EXTRA_ITEMS + members,
});

/** A header in JSON: its bytes, signed by all authorities, and its members in readable form. */
function headerJson({ authorities, schemes }: ChainConfig): number {
  const bytes = 153 + 101 * schemes.length + 66 * authorities.length;
  return 2 * bytes + 256 * schemes.length + 1024;
}

/** A proof in hexadecimal digits. */
const proofJson = (bytes: number) => 2 * Math.min(MAX_PROOF_BYTES, 4096 + bytes);

/** The proof of one key. */
function keyBytes(config: ChainConfig, scheme: unknown): number {
  const { maxValue } = config.limits;
  if (scheme === "amb") return maxValue + ambPathBytes(config) + AMB_VERSIONS_BYTES;
  if (scheme === "lmpt") return LMPT_LAYERS * (maxValue + LMPT_LAYER_BYTES);
  if (scheme !== "lvmt") return maxValue + KEY_BYTES;
  return maxValue + Math.floor(256 / (lvmtConfig(config)?.logN ?? 16)) * LVMT_LEVEL_BYTES;
}

/** The ways of AMB to a key, or to a bound, which may have one byte more. */
const ambPathBytes = ({ limits }: ChainConfig) =>
  9 * Math.min(257, limits.maxKey + 1) * AMB_BIT_BYTES;

/** The number of blocks in a range; unbounded if it ends at the newest block. */
function blocksIn(from: unknown, to: unknown): number {
  const [first, last] = [parseQuantity(from), parseQuantity(to)];
  return first === undefined || last === undefined ? Infinity : Number(last - first) + 1;
}
