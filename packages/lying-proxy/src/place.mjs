// Headers with the hashes that place them in a head's history, for lies that need other headers than the true
// answer. The format is in test-vectors/spec/chain.md, section 9.

import { fromHex, readHeader, toHex } from "./header.mjs";

/**
 * The headers of blocks before a head, without signatures, and the hashes that place them.
 *
 * @param {(method: string, params: object) => Promise<any>} node
 * @param {{ hash: string, height: string }} head
 * @param {Iterable<number>} heights those that are not before the head are ignored
 */
export async function placeHeaders(node, head, heights) {
  const size = Number(head.height);
  const wanted = [...new Set(heights)].filter((height) => height < size).sort((a, b) => a - b);
  const places = await Promise.all(
    wanted.map((height) =>
      node("prooflight_headerProof", { at: `0x${height.toString(16)}`, head: head.hash }),
    ),
  );
  /** The hashes of subtrees of the tree of all headers, by their first and last leaves. */
  const known = new Map();
  places.forEach(({ path }, index) => {
    partsBeside(wanted[index], 0, size).forEach((part, at) =>
      known.set(String(part), path.at(-1 - at)),
    );
  });
  return {
    headers: places.map(({ header }) => toHex(withoutSignatures(fromHex(header.signedHeader)))),
    hashes:
      wanted.length === 0
        ? []
        : partsWithout(wanted, 0, size).map((part) => known.get(String(part))),
  };
}

/** The encoding of the header within that of a signed header. */
export const withoutSignatures = (signed) =>
  signed.subarray(0, signed.length - 4 - 66 * readHeader(signed).signatures.length);

/** The siblings of the path to a leaf, from the root down. */
function partsBeside(leaf, start, end) {
  if (end - start === 1) return [];
  const middle = start + half(end - start);
  return leaf < middle
    ? [[middle, end], ...partsBeside(leaf, start, middle)]
    : [[start, middle], ...partsBeside(leaf, middle, end)];
}

/** The largest subtrees without any of some leaves, from left to right. */
function partsWithout(leaves, start, end) {
  if (!leaves.some((leaf) => leaf >= start && leaf < end)) return [[start, end]];
  if (end - start === 1) return [];
  const middle = start + half(end - start);
  return [...partsWithout(leaves, start, middle), ...partsWithout(leaves, middle, end)];
}

/** The largest power of two below a number of at least 2. */
const half = (number) => 2 ** Math.ceil(Math.log2(number) - 1);
