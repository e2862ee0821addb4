// Lies about which keys changed between two blocks.

import { fromHex } from "../header.mjs";
import { hashKey, hashOf, isOffWay, readDiff, withLeaves, writeDiff } from "../smt.mjs";
import { otherValue } from "./keys.mjs";
import {
  beginningWith,
  inProofOf,
  quantity,
  refused,
  withByteAfter,
  withoutLastByte,
} from "./lie.mjs";

const to = ["diff", "diff to height"];

/** @type {import("./index.mjs").Lie[]} */
export const diffs = [
  ...refused("mismatch", "root_mismatch", to, {
    "left-out-key": [
      "One changed key is missing",
      "A key that changed is given only by its hash, as if it had not changed.",
      withRoot((root, { from }) =>
        from !== undefined && root.children
          ? withOldClosed(withFirst(root, closedAt(from)), from)
          : undefined,
      ),
    ],
    "nothing-changed": [
      "Nothing is said to have changed",
      "Both children of the root are closed, as if they were old.",
      withRoot(({ children, ...root }, { from }) =>
        children && from !== undefined
          ? { ...root, height: from, children: children.map(closedAt(from)) }
          : undefined,
      ),
    ],
    "empty-diff": [
      "A diff of a state without any key",
      "The diff is that of a state in which nothing was ever written.",
      withDiff(() => writeDiff(undefined, 0)),
    ],
    "changed-diff-value": [
      "Another value in a diff",
      "The new value of a key is replaced by another one.",
      withRoot((root) =>
        withFirst(root, (leaf) => leaf.value && { ...leaf, value: otherValue(leaf.value) }),
      ),
    ],
    "said-deleted-in-diff": [
      "A changed key is said to be deleted",
      "Instead of its new value, the diff says that the key was deleted.",
      withRoot((root) =>
        withFirst(root, ({ height, key, value }) => value && { height, form: "deleted", key }),
      ),
    ],
    "moved-diff-change": [
      "A change in another block",
      "A change of a key claims to be a block earlier than it was.",
      withRoot((root, { from = -1 }) =>
        withFirst(root, (leaf) => leaf.height > from + 1 && { ...leaf, height: leaf.height - 1 }),
      ),
    ],
    "shorter-diff": [
      "A diff for fewer blocks",
      "The diff ends one block before the last block that it claims to cover.",
      withDiff(async (_, { node, params, honest, from, to: last }) => {
        if (last - 1 <= (from ?? -1)) return undefined;
        const older = await node("prooflight_diff", {
          ...params,
          to: quantity(last - 1),
          head: honest.head.hash,
        });
        return writeDiff(readDiff(fromHex(older.proof), from, last - 1), last);
      }),
    ],
  }),
  ...refused("mismatch", "leaf_off_path", to, {
    "another-key-in-diff": [
      "Another key in a diff",
      "A key that changed is replaced by one that did not.",
      withRoot((root) => {
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
    ],
  }),
  ...refused("malformed", "truncated", to, {
    "truncated-diff": [
      "A diff without its last byte",
      "The last byte of the diff is missing.",
      withDiff(withoutLastByte),
    ],
  }),
  ...refused("malformed", "trailing_bytes", to, {
    "extended-diff": [
      "A diff with a byte after it",
      "A byte is added to the end of the diff.",
      withDiff(withByteAfter),
    ],
  }),
  ...refused("malformed", "unknown_kind", to, {
    "history-for-diff": [
      "A history in place of a diff",
      "The reply claims to be the history of one key, not a diff.",
      withDiff(beginningWith(1, 3, 2)),
    ],
  }),
];

/** Sends another diff with the same headers. */
function withDiff(change) {
  return inProofOf("prooflight_diff")((proof, { node, params, honest }) => {
    const from = params.from === undefined ? undefined : Number(params.from);
    const last = Number(params.to === "latest" ? honest.head.height : params.to);
    return change(proof, { node, params, honest, from, to: last });
  });
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
