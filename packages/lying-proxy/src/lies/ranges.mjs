// Lies about the headers of an answer about a range of blocks: a history or a diff.

import { flipped, fromHex, readHeader, toHex } from "../header.mjs";
import { placeHeaders, withoutSignatures } from "../place.mjs";

const METHODS = ["prooflight_history", "prooflight_diff"];
/** A diff up to the head needs no header but the head's. */
const to = ["history", "history to height", "diff to height"];
const elsewhere = { code: "untrusted", reason: "not_an_ancestor", to };

/** @type {import("./index.mjs").Lie[]} */
export const ranges = [
  {
    name: "old-range",
    title: "A range that ends too early",
    explanation:
      "The client asks for all changes up to now; the answer is true, but ends three blocks ago, as if there were no newer blocks.",
    code: "untrusted",
    reason: "head_behind",
    to: ["history", "diff"],
    result: async ({ method, params, node }) => {
      const quantity = (number) => `0x${number.toString(16)}`;
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
  },
  {
    name: "forged-header-in-range",
    title: "A header of the range with another state",
    explanation: "The state root in the oldest header is replaced; no signature is needed.",
    ...elsewhere,
    result: withHeaders(({ headers: [oldest, ...others], hashes }) => {
      const bytes = fromHex(oldest);
      const { root } = rootsOf(bytes).at(-1);
      const at = bytes.lastIndexOf(root);
      return { headers: [toHex(flipped(bytes, at)), ...others], hashes };
    }),
  },
  {
    name: "left-out-header",
    title: "A header of the range is missing",
    explanation: "The oldest header is missing; the hashes are unchanged.",
    ...elsewhere,
    result: withHeaders(({ headers: [, ...others], hashes }) => ({ headers: others, hashes })),
  },
  {
    name: "another-header-in-range",
    title: "The header of another block",
    explanation: "The newest header is replaced by the true header of the block before it.",
    ...elsewhere,
    result: withHeaders(async ({ headers, hashes }, { node }) => {
      const { parent, height } = readUnsigned(headers.at(-1));
      if (height === 0n) return undefined;
      const { signedHeader } = await node("prooflight_header", { at: toHex(parent) });
      const other = toHex(withoutSignatures(fromHex(signedHeader)));
      return { headers: [...headers.slice(0, -1), other], hashes };
    }),
  },
  {
    name: "repeated-header",
    title: "A header of the range twice",
    explanation: "The oldest header occurs twice.",
    ...elsewhere,
    result: withHeaders(({ headers, hashes }) => ({ headers: [headers[0], ...headers], hashes })),
  },
  {
    name: "reordered-headers",
    title: "Headers in another order",
    explanation: "The headers are in reverse order.",
    ...elsewhere,
    to: ["history", "history to height"],
    result: withHeaders(({ headers, hashes }) =>
      headers.length > 1 ? { headers: headers.toReversed(), hashes } : undefined,
    ),
  },
  {
    name: "changed-hash-in-range",
    title: "Another hash beside the headers",
    explanation: "One bit of the first hash that places the headers in the history is flipped.",
    ...elsewhere,
    result: withHeaders(
      ({ headers, hashes: [first, ...others] }) =>
        first && { headers, hashes: [toHex(flipped(fromHex(first))), ...others] },
    ),
  },
  {
    name: "left-out-hash",
    title: "A missing hash beside the headers",
    explanation: "The last hash that places the headers in the history is missing.",
    ...elsewhere,
    result: withHeaders(({ headers, hashes }) =>
      hashes.length > 0 ? { headers, hashes: hashes.slice(0, -1) } : undefined,
    ),
  },
  {
    name: "added-hash",
    title: "An extra hash beside the headers",
    explanation: "A hash is added after those that place the headers in the history.",
    ...elsewhere,
    to: [...to, "diff"],
    result: withRange(({ headers, hashes }) => ({
      headers,
      hashes: [...hashes, toHex(Buffer.alloc(32))],
    })),
  },
  {
    name: "range-in-another-history",
    title: "Headers in another head's history",
    explanation: "The hashes place the headers in the history of the block before the head.",
    ...elsewhere,
    result: withHeaders(async ({ headers, head }, { node }) => {
      const heights = headers.map((header) => Number(readUnsigned(header).height));
      const before = await node("prooflight_header", { at: head.parent });
      const placed = await placeHeaders(node, before, heights);
      return placed.headers.length === headers.length ? placed : undefined;
    }),
  },
  {
    name: "no-headers",
    title: "A range without headers",
    explanation:
      "All headers are missing, so that nothing determines the states to which the proof must lead.",
    code: "malformed",
    reason: "invalid_result",
    to,
    result: withHeaders(() => ({ headers: [], hashes: [] })),
  },
  {
    name: "half-a-header-in-range",
    title: "Half of a header of the range",
    explanation: "The second half of the oldest header is missing.",
    code: "malformed",
    reason: "invalid_encoding",
    to,
    result: withHeaders(({ headers: [oldest, ...others], hashes }) => {
      const bytes = fromHex(oldest);
      return { headers: [toHex(bytes.subarray(0, bytes.length / 2)), ...others], hashes };
    }),
  },
  {
    name: "huge-range",
    title: "More headers than any answer needs",
    explanation: "There are 300,000 empty headers, although the range has few blocks.",
    code: "unavailable",
    reason: "invalid_reply",
    to: ["history to height", "diff", "diff to height"],
    result: withRange(({ hashes }) => ({ headers: Array(300_000).fill("0x"), hashes })),
  },
  {
    name: "huge-range-up-to-now",
    title: "More headers than a history can have",
    explanation: "There are 100,000 headers more than the longest history of any range needs.",
    code: "malformed",
    reason: "invalid_result",
    to: ["history"],
    result: withRange(({ hashes }) => ({ headers: Array(300_002).fill("0x0000"), hashes })),
  },
  {
    name: "too-many-hashes",
    title: "More hashes than the headers can need",
    explanation: "There are more hashes than the places of the headers in any history need.",
    code: "malformed",
    reason: "invalid_result",
    to: ["diff", "diff to height"],
    result: withRange(({ headers }) => ({
      headers,
      hashes: Array(64 * Math.max(headers.length, 1) + 1).fill(toHex(Buffer.alloc(32))),
    })),
  },
];

/** Sends other headers and hashes with the same proof. */
function withRange(change) {
  return async ({ method, honest, node }) => {
    if (!METHODS.includes(method) || !honest) return undefined;
    const changed = await change(honest, { node });
    return changed && { ...honest, ...changed };
  };
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
