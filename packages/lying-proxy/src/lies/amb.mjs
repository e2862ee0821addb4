// Lies about the keys of a range, told with proofs of the scheme `amb`: the header is right, the proof is not.

import { integer, string } from "../codec.mjs";
import {
  leavesOf,
  mapNodes,
  meets,
  readCount,
  readPage,
  withValue,
  writeCount,
  writePage,
} from "../amb.mjs";
import { fromHex, toHex } from "../header.mjs";
import { otherValue } from "./keys.mjs";
import { heightBefore, inProofOf, inResultOf, refused, withByteAfter } from "./lie.mjs";

const inRange = inResultOf("prooflight_range");
/** In what follows the first page, which the client asks for by its head. */
const inLaterPage = (tell) =>
  inRange((call) => (call.params.head === "latest" ? undefined : tell(call)));

const to = ["range", "range reversed"];

/** @type {import("./index.mjs").Lie[]} */
export const amb = [
  ...refused("mismatch", "root_mismatch", to, {
    "amb-left-out": [
      "An account left out of the list",
      "One account is missing, as if the tree did not have it.",
      withPage(({ root, ...page }) => {
        const pair = firstBranch(root, canLose);
        return pair && { ...page, root: without(root, pair) };
      }),
    ],
    "amb-said-deleted": [
      "An account said to be deleted",
      "The record in place of an account says that it has no value any more.",
      withLeaf(-1, ({ way, age }) => {
        return { way, tagged: true, live: 0, dead: 1, age, hash: Buffer.alloc(32, 1) };
      }),
    ],
    "amb-changed-value": [
      "Another value in the list",
      "The last account of the page has another value.",
      withLeaf(-1, (leaf) => withValue(leaf, otherValue(leaf.value))),
    ],
    "amb-other-block": [
      "A value set by another block",
      "The last account of the page was written one block earlier, the proof says.",
      withLeaf(-1, (leaf) => ({ ...leaf, age: leaf.age + 1 })),
    ],
    "amb-invented": [
      "An account that does not exist",
      "The first account of the page has a key that nobody ever set.",
      withLeaf(0, (leaf) => ({
        ...leaf,
        key: Buffer.concat([leaf.key, Buffer.from("~")]),
      })),
    ],
    "amb-swapped": [
      "Two accounts in the wrong order",
      "Two neighbours change places in the list.",
      withPage(({ root, ...page }) => {
        const pair = firstBranch(root, canSwap);
        return (
          pair && {
            ...page,
            root: mapNodes(root, (node) => {
              if (node.way !== pair.way || !node.children) return node;
              const [left, right] = node.children;
              return {
                ...node,
                children: [
                  { ...right, way: left.way },
                  { ...left, way: right.way },
                ],
              };
            }),
          }
        );
      }),
    ],
    "amb-previous-block": [
      "The list of the previous block",
      "The proof is true, but against the root of the block before.",
      inProofOf("prooflight_range")(async (_, { method, params, honest, node }) => {
        const { at: _at, ...rest } = params;
        const { proof } = await node(method, { ...rest, head: heightBefore(honest.header) });
        return fromHex(proof);
      }),
    ],
  }),
  ...refused("mismatch", "node_not_expanded", to, {
    "amb-not-shown": [
      "An account not shown",
      "Instead of an account the proof only has its record, as for what was not asked for.",
      withLeaf(-1, ({ way, age }) => {
        return { way, tagged: true, live: 1, dead: 0, age, hash: Buffer.alloc(32, 1) };
      }),
    ],
    "amb-ends-early": [
      "A list that ends early",
      "The page stops in the middle, and says that nothing follows.",
      withShorterPage(({ root }, { params }) => ({
        cut: undefined,
        root: opened(root, params),
      })),
    ],
    "amb-border-moved": [
      "The border of a page moved",
      "The page says that it reaches further than what it shows.",
      withShorterPage(({ root }, { params, last }) => {
        const cut = params.reverse ? last : withByteAfter(last);
        return { cut, root: opened(root, upTo(cut, params)) };
      }),
    ],
  }),
  ...refused("mismatch", "page_end", to, {
    "amb-cut-outside": [
      "A page that ends where it begins",
      "The next page would begin at the same key, so that the list never ends.",
      withPage(({ root }, { params: { lo = "0x" } }) => ({ cut: fromHex(lo), root })),
    ],
  }),
  ...refused("unavailable", "too_many_pages", to, {
    "amb-empty-pages": [
      "Pages without end",
      "Each page is true, but so short that it has no entry; the list would never end.",
      inRange(async ({ method, params, node }) => {
        const cut = params.reverse
          ? boundBefore(params.hi)
          : withByteAfter(fromHex(params.lo ?? "0x"));
        const short = await node(method, upTo(cut, params));
        const proof = fromHex(short.proof);
        const flagged = [proof.subarray(0, 3), Buffer.of(1), ...string(integer).write(cut)];
        return { ...short, proof: toHex(Buffer.concat([...flagged, proof.subarray(4)])) };
      }),
    ],
  }),
  ...refused("mismatch", "wrong_block", to, {
    "amb-other-head": [
      "Pages of two states",
      "The second page is true, but of the previous block.",
      inLaterPage(async ({ method, params, honest, node }) => {
        const before = heightBefore(honest.header);
        return node(method, { ...params, at: before, head: before });
      }),
    ],
  }),
  ...refused("mismatch", "node_not_expanded", ["range"], {
    "amb-page-left-out": [
      "A page left out",
      "The second page is true, but begins after keys that are not shown.",
      inLaterPage(async ({ method, params, honest, node }) => {
        const leaves = leavesOf(readPage(fromHex(honest.proof), params).root);
        const middle = leaves[leaves.length >> 1];
        if (!middle) return undefined;
        const lo = toHex(withByteAfter(middle.key));
        const later = await node(method, { ...params, lo });
        const page = readPage(fromHex(later.proof), { ...params, lo });
        const root = opened(page.root, upTo(page.cut, params));
        return { ...later, proof: toHex(writePage({ ...page, root })) };
      }),
    ],
  }),
  ...refused("mismatch", "root_mismatch", ["count"], {
    "amb-wrong-count": [
      "One account more",
      "The proof of the number of accounts counts one too many.",
      withCount((root) => {
        let counted = false;
        return mapNodes(root, (node) => {
          if (counted || node.children || node.key || !node.live) return node;
          counted = true;
          return { ...node, live: node.live + 1 };
        });
      }),
    ],
    "amb-count-of-before": [
      "The number of the previous block",
      "The proof is true, but for the number of accounts one block before.",
      inProofOf("prooflight_count")(async (_, { method, params, honest, node }) => {
        const { proof } = await node(method, { ...params, at: heightBefore(honest.header) });
        return fromHex(proof);
      }),
    ],
  }),
];

/** The longest bound, in bytes. */
const BOUND = 257;

/** A bound before another, or before the end of all keys, between which there are only keys that end in many ff. */
function boundBefore(hi) {
  if (hi === undefined) return Buffer.alloc(BOUND, 0xff);
  const bound = fromHex(hi);
  const last = bound.at(-1);
  const start = bound.subarray(0, -1);
  // After a bound that ends in 00 the one without it is next.
  if (last === 0) return start;
  return Buffer.concat([start, Buffer.of(last - 1)], BOUND).fill(0xff, bound.length);
}

/** Replaces the page of a range; nothing is replaced where `change` returns undefined. */
function withPage(change) {
  return inProofOf("prooflight_range")((proof, call) => {
    const page = change(readPage(proof, call.params), call);
    return page && writePage(page);
  });
}

/** Replaces one of the page's leaves with values. */
function withLeaf(index, change) {
  return withPage(({ root, ...page }) => {
    const leaf = leavesOf(root)
      .filter(({ value }) => value !== undefined)
      .at(index);
    if (!leaf) return undefined;
    const replace = (node) => (node.key && node.way === leaf.way ? change(node) : node);
    return { ...page, root: mapNodes(root, replace) };
  });
}

/** Asks the node for only a part of the page, and changes that. */
function withShorterPage(change) {
  return inRange(async ({ method, params, honest, node }) => {
    const keys = leavesOf(readPage(fromHex(honest.proof), params).root).map(({ key }) => key);
    if (keys.length < 4) return undefined;
    const bounds = upTo(keys[keys.length >> 1], params);
    const short = await node(method, bounds);
    const last = params.reverse ? keys[0] : keys.at(-1);
    const page = change(readPage(fromHex(short.proof), bounds), { params, last });
    return { ...short, proof: toHex(writePage(page)) };
  });
}

/** Replaces the tree of a count. */
function withCount(change) {
  return inProofOf("prooflight_count")((proof, { params }) =>
    writeCount(change(readCount(proof, params))),
  );
}

/** The question that a page answers if it ends at its cut. */
const upTo = (cut, params) =>
  cut ? { ...params, [params.reverse ? "lo" : "hi"]: toHex(cut) } : params;

/** A tree whose closed nodes have the form that a question needs. */
const opened = (root, params) => {
  const met = meets(params);
  return mapNodes(root, (node) =>
    node.children || node.key ? node : { ...node, tagged: met(node.way) },
  );
};

/** The first branch that is as wanted. */
function firstBranch(node, wanted) {
  if (!node.children) return undefined;
  if (wanted(node)) return node;
  return firstBranch(node.children[0], wanted) ?? firstBranch(node.children[1], wanted);
}

/** Whether two keys with values differ in the last bit of a byte, so that each can take the other's way. */
const canSwap = ({ children }) =>
  children.every(({ value }) => value) && children[0].way.length % 9 === 0;

/** Whether one child is a key with a value, and the other one a key or without values: it can take the branch's place. */
const canLose = ({ children }) =>
  children.some(({ value }) => value) && children.every(({ key, live }) => key || live === 0);

/** The tree without a key that a branch can lose. */
const without = (root, pair) =>
  mapNodes(root, (node) => {
    if (node.way !== pair.way || !node.children) return node;
    const [left, right] = node.children;
    return { ...(left.value ? right : left), way: node.way, tagged: true };
  });
