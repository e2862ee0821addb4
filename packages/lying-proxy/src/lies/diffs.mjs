// Lies about which keys changed between two blocks.

import { fromHex, toHex } from "../header.mjs";
import { hashKey, hashOf, isOffWay, readDiff, withLeaves, writeDiff } from "../smt.mjs";
import { otherValue } from "./keys.mjs";

const to = ["diff", "diff to height"];
const otherRoot = { code: "mismatch", reason: "root_mismatch", to };

/** @type {import("./index.mjs").Lie[]} */
export const diffs = [
  {
    name: "left-out-key",
    title: "One changed key is missing",
    explanation: "A key that changed is given only by its hash, as if it had not changed.",
    ...otherRoot,
    result: withRoot((root, { from }) =>
      from !== undefined && root.children
        ? withOldClosed(withFirst(root, closedAt(from)), from)
        : undefined,
    ),
  },
  {
    name: "nothing-changed",
    title: "Nothing is said to have changed",
    explanation: "Both children of the root are closed, as if they were old.",
    ...otherRoot,
    result: withRoot(({ children, ...root }, { from }) =>
      children && from !== undefined
        ? { ...root, height: from, children: children.map(closedAt(from)) }
        : undefined,
    ),
  },
  {
    name: "empty-diff",
    title: "A diff of a state without any key",
    explanation: "The diff is that of a state in which nothing was ever written.",
    ...otherRoot,
    result: withDiff(() => writeDiff(undefined, 0)),
  },
  {
    name: "changed-diff-value",
    title: "Another value in a diff",
    explanation: "The new value of a key is replaced by another one.",
    ...otherRoot,
    result: withRoot((root) =>
      withFirst(root, (leaf) => leaf.value && { ...leaf, value: otherValue(leaf.value) }),
    ),
  },
  {
    name: "said-deleted-in-diff",
    title: "A changed key is said to be deleted",
    explanation: "Instead of its new value, the diff says that the key was deleted.",
    ...otherRoot,
    result: withRoot((root) =>
      withFirst(root, ({ height, key, value }) => value && { height, form: "deleted", key }),
    ),
  },
  {
    name: "moved-diff-change",
    title: "A change in another block",
    explanation: "A change of a key claims to be a block earlier than it was.",
    ...otherRoot,
    result: withRoot((root, { from = -1 }) =>
      withFirst(root, (leaf) => leaf.height > from + 1 && { ...leaf, height: leaf.height - 1 }),
    ),
  },
  {
    name: "another-key-in-diff",
    title: "Another key in a diff",
    explanation: "A key that changed is replaced by one that did not.",
    code: "mismatch",
    reason: "leaf_off_path",
    to,
    result: withRoot((root) => {
      for (let i = 0; i < 100; i++) {
        const key = Buffer.from(`nobody ever set this ${i}`);
        let away;
        const changed = withFirst(root, (leaf) => {
          away = isOffWay(wayTo(root, leaf), leaf.key, hashKey(key));
          return { ...leaf, key };
        });
        if (away) return changed;
      }
      return undefined;
    }),
  },
  {
    name: "shorter-diff",
    title: "A diff for fewer blocks",
    explanation: "The diff ends one block before the last block that it claims to cover.",
    ...otherRoot,
    result: withDiff(async (_, { node, params, honest, from, to: last }) => {
      if (last - 1 <= (from ?? -1)) return undefined;
      const height = `0x${(last - 1).toString(16)}`;
      const older = await node("prooflight_diff", {
        ...params,
        to: height,
        head: honest.head.hash,
      });
      return writeDiff(readDiff(fromHex(older.proof), from, last - 1), last);
    }),
  },
  {
    name: "truncated-diff",
    title: "A diff without its last byte",
    explanation: "The last byte of the diff is missing.",
    code: "malformed",
    reason: "truncated",
    to,
    result: withDiff((proof) => proof.subarray(0, -1)),
  },
  {
    name: "extended-diff",
    title: "A diff with a byte after it",
    explanation: "A byte is added to the end of the diff.",
    code: "malformed",
    reason: "trailing_bytes",
    to,
    result: withDiff((proof) => Buffer.concat([proof, Buffer.of(0)])),
  },
  {
    name: "history-for-diff",
    title: "A history in place of a diff",
    explanation: "The reply claims to be the history of one key, not a diff.",
    code: "malformed",
    reason: "unknown_kind",
    to,
    result: withDiff((proof) => Buffer.concat([Buffer.of(1, 3, 2), proof.subarray(3)])),
  },
];

/** Sends another diff with the same headers. */
function withDiff(change) {
  return async ({ method, params, honest, node }) => {
    if (method !== "prooflight_diff" || !honest) return undefined;
    const from = params.from === undefined ? undefined : Number(params.from);
    const last = Number(params.to === "latest" ? honest.head.height : params.to);
    const call = { node, params, honest, from, to: last };
    const proof = await change(fromHex(honest.proof), call);
    return proof && { ...honest, proof: toHex(proof) };
  };
}

/** Sends a diff with another root. */
function withRoot(change) {
  return withDiff((proof, call) => {
    const root = readDiff(proof, call.from, call.to);
    const changed = root && change(root, call);
    return changed && writeDiff(changed, call.to);
  });
}

/** Changes the first leaf for which there is a change; undefined if there is none. */
function withFirst(root, change) {
  let done = false;
  const changed = withLeaves(root, (leaf) => {
    const other = !done && change(leaf);
    done ||= Boolean(other);
    return other || leaf;
  });
  return done ? changed : undefined;
}

/** The same tree with old nodes closed, as they have to be, except for the root. */
function withOldClosed(node, from) {
  if (!node.children) return node;
  const children = node.children.map((child) => {
    const changed = withOldClosed(child, from);
    return changed.height > from ? changed : closedAt(changed.height)(changed);
  });
  return { ...node, children };
}

/** Closes a node, with this block as that of its last change. */
const closedAt = (height) => (node) => ({ height, hash: hashOf(node) });

/** The tree with only the branches above a leaf opened. */
function wayTo(node, leaf) {
  if (node === leaf || node.hash) return node;
  if (node.form) return { height: node.height, hash: Buffer.alloc(32) };
  const children = node.children.map((child) => wayTo(child, leaf));
  if (children.every(({ hash }) => hash)) return { height: node.height, hash: Buffer.alloc(32) };
  return { ...node, children };
}
