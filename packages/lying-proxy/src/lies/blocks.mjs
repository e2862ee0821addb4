// Lies about blocks: operations that the header does not commit to, or other effects.

import { flipped, fromHex, toHex } from "../header.mjs";

const other = { code: "mismatch", reason: "operations_mismatch" };
const impossible = { code: "malformed", reason: "invalid_block" };

/** @type {import("./index.mjs").Lie[]} */
export const blocks = [
  lie("changed-operation", "Another value in a block", "The first operation sets another value.", {
    ...other,
    change: ({ ops: [first, ...rest] }) =>
      first && { ops: [{ op: "Set", key: first.key, value: `${first.value ?? "0x"}21` }, ...rest] },
  }),
  lie("added-operation", "An extra operation", "An operation is added to the block.", {
    ...other,
    change: ({ ops }) => ({
      ops: [...ops, { op: "Set", key: `${ops.at(-1)?.key ?? "0x"}00`, value: "0x21" }],
    }),
  }),
  lie("removed-operation", "A missing operation", "The last operation of the block is missing.", {
    ...other,
    change: ({ ops }) => (ops.length > 0 ? { ops: ops.slice(0, -1) } : undefined),
  }),
  lie(
    "empty-block",
    "A block without operations",
    "All operations of the block and its transition are missing.",
    {
      ...other,
      change: ({ ops }) => (ops.length > 0 ? { ops: [], transitions: { avl: "0x04" } } : undefined),
    },
  ),
  lie(
    "operations-of-another-block",
    "The operations of another block",
    "The operations and the transition are those of the previous block; the header is right.",
    {
      ...other,
      change: async ({ header }, node) => {
        const { ops, transitions } = await node("prooflight_block", { at: header.parent });
        return { ops, transitions };
      },
    },
  ),
  lie(
    "reordered-operations",
    "Operations in another order",
    "The operations are in reverse order.",
    {
      ...impossible,
      change: ({ ops }) => (ops.length > 1 ? { ops: ops.toReversed() } : undefined),
    },
  ),
  lie("duplicated-operation", "An operation twice", "The first operation occurs twice.", {
    ...impossible,
    change: ({ ops }) => (ops.length > 0 ? { ops: [ops[0], ...ops] } : undefined),
  }),
  lie(
    "huge-block",
    "Too many operations",
    "The block has more operations than any block may have.",
    {
      ...impossible,
      change: () => ({ ops: Array(200_001).fill({ op: "Delete", key: "0x00" }) }),
    },
  ),
  lie("too-long-key", "A key that no block has", "A key is longer than the chain allows.", {
    ...impossible,
    change: ({ ops }) => ({
      ops: [...ops, { op: "Set", key: `0x${"ff".repeat(70_000)}`, value: "0x" }],
    }),
  }),
  lie(
    "transition-of-another-block",
    "Another block's transition",
    "The proof of the operations' effect on the state is that of the previous block.",
    {
      code: "mismatch",
      reason: "root_mismatch",
      change: async ({ header }, node) => {
        const { transitions } = await node("prooflight_block", { at: header.parent });
        return { transitions };
      },
    },
  ),
  lie("flipped-transition", "One bit of a transition", "One bit of the proof is flipped.", {
    code: "mismatch",
    reason: "root_mismatch",
    change: ({ transitions }) => ({
      transitions: { avl: toHex(flipped(fromHex(transitions.avl), 1)) },
    }),
  }),
  lie("truncated-transition", "Half of a transition", "The second half of the proof is missing.", {
    code: "malformed",
    reason: "truncated",
    change: ({ transitions: { avl } }) => {
      const proof = fromHex(avl);
      return { transitions: { avl: toHex(proof.subarray(0, proof.length / 2)) } };
    },
  }),
  lie("no-transition", "No transition", "The block has no proof of its effect.", {
    code: "malformed",
    reason: "invalid_result",
    change: () => ({ transitions: {} }),
  }),
  lie(
    "skipped-block",
    "The block after",
    "The reply is a complete, true block, but the next one.",
    {
      code: "mismatch",
      reason: "wrong_block",
      change: ({ header }, node) =>
        node("prooflight_block", { at: `0x${(BigInt(header.height) + 1n).toString(16)}` }),
    },
  ),
  lie(
    "header-of-another-block",
    "Another block's header",
    "The header is that of the previous block.",
    {
      code: "mismatch",
      reason: "wrong_block",
      change: async ({ header }, node) => ({
        header: await node("prooflight_header", { at: header.parent }),
      }),
    },
  ),
];

/** A lie about blocks; `change` returns the members to replace. */
function lie(name, title, explanation, { code, reason, change }) {
  const result = async ({ method, honest, node }) => {
    if (method !== "prooflight_block" || !honest) return undefined;
    const changed = await change(honest, node);
    return changed && { ...honest, ...changed };
  };
  return { name, title, explanation, code, reason, to: ["blocks"], result };
}
