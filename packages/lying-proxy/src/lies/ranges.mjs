// Lies about the headers of an answer about a range of blocks: a history or a diff.

import { flipped, fromHex, readHeader, toHex } from "../header.mjs";
import { placeHeaders, withoutSignatures } from "../place.mjs";
import { firstHalf, inResultOf, quantity, refused } from "./lie.mjs";

const METHODS = ["prooflight_history", "prooflight_diff"];
/** A diff up to the head needs no header but the head's. */
const to = ["history", "history to height", "diff to height"];

/** @type {import("./index.mjs").Lie[]} */
export const ranges = [
  ...refused("untrusted", "head_behind", ["history", "diff"], {
    "old-range": [
      "A range that ends too early",
      "The client asks for all changes up to now; the answer is true, but ends three blocks ago, as if there were no newer blocks.",
      async ({ method, params, node }) => {
        const at = BigInt((await node("prooflight_head", {})).height) - 3n;
        if (at < 1n) return undefined;
        const older = quantity(at);
        if (method === "prooflight_headerProof" && params.head === "latest") {
          return BigInt(params.at) <= at ? node(method, { ...params, head: older }) : undefined;
        }
        if (!METHODS.includes(method) || params.to !== "latest") return undefined;
        // A range that begins after that block gets the last block before the range.
        const last = method === "prooflight_diff" ? at - 1n : at;
        const from = BigInt(params.from ?? 0) > last ? { from: quantity(last) } : {};
        return node(method, { ...params, ...from, to: older, head: older });
      },
    ],
  }),
  ...refused("untrusted", "not_an_ancestor", to, {
    "forged-header-in-range": [
      "A header of the range with another state",
      "The state root in the oldest header is replaced; no signature is needed.",
      withHeaders(({ headers: [oldest, ...others], hashes }) => {
        const bytes = fromHex(oldest);
        const { root } = rootsOf(bytes).at(-1);
        const at = bytes.lastIndexOf(root);
        return { headers: [toHex(flipped(bytes, at)), ...others], hashes };
      }),
    ],
    "left-out-header": [
      "A header of the range is missing",
      "The oldest header is missing; the hashes are unchanged.",
      withHeaders(({ headers: [, ...others], hashes }) => ({ headers: others, hashes })),
    ],
    "another-header-in-range": [
      "The header of another block",
      "The newest header is replaced by the true header of the block before it.",
      withHeaders(async ({ headers, hashes }, { node }) => {
        const { parent, height } = readUnsigned(headers.at(-1));
        if (height === 0n) return undefined;
        const { signedHeader } = await node("prooflight_header", { at: toHex(parent) });
        const other = toHex(withoutSignatures(fromHex(signedHeader)));
        return { headers: [...headers.slice(0, -1), other], hashes };
      }),
    ],
    "repeated-header": [
      "A header of the range twice",
      "The oldest header occurs twice.",
      withHeaders(({ headers, hashes }) => ({ headers: [headers[0], ...headers], hashes })),
    ],
    "changed-hash-in-range": [
      "Another hash beside the headers",
      "One bit of the first hash that places the headers in the history is flipped.",
      withHeaders(
        ({ headers, hashes: [first, ...others] }) =>
          first && { headers, hashes: [toHex(flipped(fromHex(first))), ...others] },
      ),
    ],
    "left-out-hash": [
      "A missing hash beside the headers",
      "The last hash that places the headers in the history is missing.",
      withHeaders(({ headers, hashes }) =>
        hashes.length > 0 ? { headers, hashes: hashes.slice(0, -1) } : undefined,
      ),
    ],
    "range-in-another-history": [
      "Headers in another head's history",
      "The hashes place the headers in the history of the block before the head.",
      withHeaders(async ({ headers, head }, { node }) => {
        const heights = headers.map((header) => Number(readUnsigned(header).height));
        const before = await node("prooflight_header", { at: head.parent });
        const placed = await placeHeaders(node, before, heights);
        return placed.headers.length === headers.length ? placed : undefined;
      }),
    ],
  }),
  ...refused("untrusted", "not_an_ancestor", ["history", "history to height"], {
    "reordered-headers": [
      "Headers in another order",
      "The headers are in reverse order.",
      withHeaders(({ headers, hashes }) =>
        headers.length > 1 ? { headers: headers.toReversed(), hashes } : undefined,
      ),
    ],
  }),
  ...refused("untrusted", "not_an_ancestor", [...to, "diff"], {
    "added-hash": [
      "An extra hash beside the headers",
      "A hash is added after those that place the headers in the history.",
      withRange(({ headers, hashes }) => ({
        headers,
        hashes: [...hashes, toHex(Buffer.alloc(32))],
      })),
    ],
  }),
  ...refused("malformed", "invalid_result", to, {
    "no-headers": [
      "A range without headers",
      "All headers are missing, so that nothing determines the states to which the proof must lead.",
      withHeaders(() => ({ headers: [], hashes: [] })),
    ],
  }),
  ...refused("malformed", "invalid_encoding", to, {
    "half-a-header-in-range": [
      "Half of a header of the range",
      "The second half of the oldest header is missing.",
      withHeaders(({ headers: [oldest, ...others], hashes }) => {
        const bytes = fromHex(oldest);
        return { headers: [toHex(firstHalf(bytes)), ...others], hashes };
      }),
    ],
  }),
  ...refused("unavailable", "invalid_reply", ["history to height", "diff", "diff to height"], {
    "huge-range": [
      "More headers than any answer needs",
      "There are 300,000 empty headers, although the range has few blocks.",
      withRange(({ hashes }) => ({ headers: Array(300_000).fill("0x"), hashes })),
    ],
  }),
  ...refused("malformed", "invalid_result", ["history"], {
    "huge-range-up-to-now": [
      "More headers than a history can have",
      "There are 100,000 headers more than the longest history of any range needs.",
      withRange(({ hashes }) => ({ headers: Array(300_002).fill("0x0000"), hashes })),
    ],
  }),
  ...refused("malformed", "invalid_result", ["diff", "diff to height"], {
    "too-many-hashes": [
      "More hashes than the headers can need",
      "There are more hashes than the places of the headers in any history need.",
      withRange(({ headers }) => ({
        headers,
        hashes: Array(64 * Math.max(headers.length, 1) + 1).fill(toHex(Buffer.alloc(32))),
      })),
    ],
  }),
];

/** Sends other headers and hashes with the same proof. */
function withRange(change) {
  return inResultOf(...METHODS)(async ({ honest, node }) => {
    const changed = await change(honest, { node });
    return changed && { ...honest, ...changed };
  });
}

/** The same, if there are headers besides the head's. */
function withHeaders(change) {
  return withRange((honest, call) =>
    honest.headers.length > 0 ? change(honest, call) : undefined,
  );
}

/** The encoding of a header without signatures, as in a range. */
const readUnsigned = (header) => readHeader(Buffer.concat([fromHex(header), Buffer.alloc(4)]));

const rootsOf = (bytes) => readHeader(Buffer.concat([bytes, Buffer.alloc(4)])).roots;
