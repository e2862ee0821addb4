// Lies about the keys of a range, told with proofs of the scheme `amb`: the header is right, the proof is not.

import {
  integer,
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

const to = ["range", "range reversed"];
const otherRoot = { code: "mismatch", reason: "root_mismatch", to };
const notShown = { code: "mismatch", reason: "node_not_expanded", to };

/** @type {import("./index.mjs").Lie[]} */
export const amb = [
  {
    name: "amb-left-out",
    title: "An account left out of the list",
    explanation: "One account is missing, as if the tree did not have it.",
    ...otherRoot,
    result: withPage(({ root, ...page }) => {
      const pair = firstBranch(root, canLose);
      return pair && { ...page, root: without(root, pair) };
    }),
  },
  {
    name: "amb-not-shown",
    title: "An account not shown",
    explanation:
      "Instead of an account the proof only has its record, as for what was not asked for.",
    ...notShown,
    result: withLastLeaf(({ way, age }) => {
      return { way, tagged: true, live: 1, dead: 0, age, hash: Buffer.alloc(32, 1) };
    }),
  },
  {
    name: "amb-said-deleted",
    title: "An account said to be deleted",
    explanation: "The record in place of an account says that it has no value any more.",
    ...otherRoot,
    result: withLastLeaf(({ way, age }) => {
      return { way, tagged: true, live: 0, dead: 1, age, hash: Buffer.alloc(32, 1) };
    }),
  },
  {
    name: "amb-changed-value",
    title: "Another value in the list",
    explanation: "The last account of the page has another value.",
    ...otherRoot,
    result: withLastLeaf((leaf) => withValue(leaf, otherValue(leaf.value))),
  },
  {
    name: "amb-other-block",
    title: "A value set by another block",
    explanation: "The last account of the page was written one block earlier, the proof says.",
    ...otherRoot,
    result: withLastLeaf((leaf) => ({ ...leaf, age: leaf.age + 1 })),
  },
  {
    name: "amb-invented",
    title: "An account that does not exist",
    explanation: "The first account of the page has a key that nobody ever set.",
    ...otherRoot,
    result: withFirstLeaf((leaf) => ({
      ...leaf,
      key: Buffer.concat([leaf.key, Buffer.from("~")]),
    })),
  },
  {
    name: "amb-swapped",
    title: "Two accounts in the wrong order",
    explanation: "Two neighbours change places in the list.",
    ...otherRoot,
    result: withPage(({ root, ...page }) => {
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
  },
  {
    name: "amb-ends-early",
    title: "A list that ends early",
    explanation: "The page stops in the middle, and says that nothing follows.",
    ...notShown,
    result: withShorterPage(({ root }, { params }) => ({
      cut: undefined,
      root: opened(root, params),
    })),
  },
  {
    name: "amb-border-moved",
    title: "The border of a page moved",
    explanation: "The page says that it reaches further than what it shows.",
    ...notShown,
    result: withShorterPage(({ root }, { params, last }) => {
      const cut = params.reverse ? last : Buffer.concat([last, Buffer.of(0)]);
      return { cut, root: opened(root, upTo(cut, params)) };
    }),
  },
  {
    name: "amb-cut-outside",
    title: "A page that ends where it begins",
    explanation: "The next page would begin at the same key, so that the list never ends.",
    code: "mismatch",
    reason: "page_end",
    to,
    result: withPage(({ root }, { params: { lo = "0x" } }) => ({ cut: fromHex(lo), root })),
  },
  {
    name: "amb-empty-pages",
    title: "Pages without end",
    explanation: "Each page is true, but so short that it has no entry; the list would never end.",
    code: "unavailable",
    reason: "too_many_pages",
    to,
    async result({ method, params, honest, node }) {
      if (method !== "prooflight_range" || !honest) return undefined;
      const cut = params.reverse ? boundBefore(params.hi) : boundAfter(params.lo);
      const part = params.reverse ? { lo: toHex(cut) } : { hi: toHex(cut) };
      const short = await node(method, { ...params, ...part });
      const proof = fromHex(short.proof);
      const flagged = [proof.subarray(0, 3), Buffer.of(1), integer(cut.length), cut];
      return { ...short, proof: toHex(Buffer.concat([...flagged, proof.subarray(4)])) };
    },
  },
  {
    name: "amb-previous-block",
    title: "The list of the previous block",
    explanation: "The proof is true, but against the root of the block before.",
    ...otherRoot,
    async result({ method, params, honest, node }) {
      if (method !== "prooflight_range" || !honest) return undefined;
      const before = `0x${(BigInt(honest.header.height) - 1n).toString(16)}`;
      const { at: _, ...rest } = params;
      const { proof } = await node(method, { ...rest, head: before });
      return { ...honest, proof };
    },
  },
  {
    name: "amb-other-head",
    title: "Pages of two states",
    explanation: "The second page is true, but of the previous block.",
    code: "mismatch",
    reason: "wrong_block",
    to,
    async result({ method, params, honest, node }) {
      if (method !== "prooflight_range" || !honest || params.head === "latest") return undefined;
      const before = `0x${(BigInt(honest.header.height) - 1n).toString(16)}`;
      return node(method, { ...params, at: before, head: before });
    },
  },
  {
    name: "amb-page-left-out",
    title: "A page left out",
    explanation: "The second page is true, but begins after keys that are not shown.",
    ...notShown,
    to: ["range"],
    async result({ method, params, honest, node }) {
      if (method !== "prooflight_range" || !honest || params.head === "latest") return undefined;
      const leaves = leavesOf(readPage(fromHex(honest.proof), params).root);
      const middle = leaves[leaves.length >> 1];
      if (!middle) return undefined;
      const lo = toHex(Buffer.concat([middle.key, Buffer.of(0)]));
      const later = await node(method, { ...params, lo });
      const page = readPage(fromHex(later.proof), { ...params, lo });
      const root = opened(page.root, upTo(page.cut, params));
      return { ...later, proof: toHex(writePage({ ...page, root })) };
    },
  },
  {
    name: "amb-wrong-count",
    title: "One account more",
    explanation: "The proof of the number of accounts counts one too many.",
    code: "mismatch",
    reason: "root_mismatch",
    to: ["count"],
    result: withCount((root) => {
      let counted = false;
      return mapNodes(root, (node) => {
        if (counted || node.children || node.key || !node.live) return node;
        counted = true;
        return { ...node, live: node.live + 1 };
      });
    }),
  },
  {
    name: "amb-count-of-before",
    title: "The number of the previous block",
    explanation: "The proof is true, but for the number of accounts one block before.",
    code: "mismatch",
    reason: "root_mismatch",
    to: ["count"],
    async result({ method, params, honest, node }) {
      if (method !== "prooflight_count" || !honest) return undefined;
      const at = `0x${(BigInt(honest.header.height) - 1n).toString(16)}`;
      const { proof } = await node(method, { ...params, at });
      return { ...honest, proof };
    },
  },
];

/** The longest bound, in bytes. */
const BOUND = 257;

/** The bound right after another. */
function boundAfter(lo = "0x") {
  return Buffer.concat([fromHex(lo), Buffer.of(0)]);
}

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
  return async (call) => {
    const { method, params, honest } = call;
    if (method !== "prooflight_range" || !honest) return undefined;
    const page = await change(readPage(fromHex(honest.proof), params), call);
    return page && { ...honest, proof: toHex(writePage(page)) };
  };
}

/** Replaces the last leaf of the page that has a value. */
function withLastLeaf(change) {
  return withLeaf(-1, change);
}

/** Replaces the first leaf of the page that has a value. */
function withFirstLeaf(change) {
  return withLeaf(0, change);
}

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
  return async ({ method, params, honest, node }) => {
    if (method !== "prooflight_range" || !honest) return undefined;
    const { reverse = false } = params;
    const keys = leavesOf(readPage(fromHex(honest.proof), params).root).map(({ key }) => key);
    if (keys.length < 4) return undefined;
    const middle = keys[keys.length >> 1];
    const bounds = reverse ? { ...params, lo: toHex(middle) } : { ...params, hi: toHex(middle) };
    const short = await node(method, bounds);
    const last = reverse ? keys[0] : keys.at(-1);
    const page = change(readPage(fromHex(short.proof), bounds), { params, last });
    return { ...short, proof: toHex(writePage(page)) };
  };
}

/** Replaces the tree of a count. */
function withCount(change) {
  return async ({ method, params, honest }) => {
    if (method !== "prooflight_count" || !honest) return undefined;
    const root = change(readCount(fromHex(honest.proof), params));
    return { ...honest, proof: toHex(writeCount(root)) };
  };
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
