// Lies about blocks: operations that the header does not commit to, or other effects.

import { flipped, fromHex, toHex } from "../header.mjs";
import { firstHalf, inResultOf, quantity, refused } from "./lie.mjs";

const to = ["blocks"];

/** @type {import("./index.mjs").Lie[]} */
export const blocks = [
  ...refused("mismatch", "operations_mismatch", to, {
    "changed-operation": [
      "Another value in a block",
      "The first operation sets another value.",
      withMembers(({ ops: [first, ...rest] }) => {
        const value = `${first?.value ?? "0x"}21`;
        return first && { ops: [{ op: "Set", key: first.key, value }, ...rest] };
      }),
    ],
    "added-operation": [
      "An extra operation",
      "An operation is added to the block.",
      withMembers(({ ops }) => ({
        ops: [...ops, { op: "Set", key: `${ops.at(-1)?.key ?? "0x"}00`, value: "0x21" }],
      })),
    ],
    "removed-operation": [
      "A missing operation",
      "The last operation of the block is missing.",
      withMembers(({ ops }) => (ops.length > 0 ? { ops: ops.slice(0, -1) } : undefined)),
    ],
    "empty-block": [
      "A block without operations",
      "All operations of the block and its transition are missing.",
      withMembers(({ ops }) =>
        ops.length > 0 ? { ops: [], transitions: { avl: "0x04" } } : undefined,
      ),
    ],
    "operations-of-another-block": [
      "The operations of another block",
      "The operations and the transition are those of the previous block; the header is right.",
      withMembers(async ({ header }, node) => {
        const { ops, transitions } = await node("prooflight_block", { at: header.parent });
        return { ops, transitions };
      }),
    ],
  }),
  ...refused("malformed", "invalid_block", to, {
    "reordered-operations": [
      "Operations in another order",
      "The operations are in reverse order.",
      withMembers(({ ops }) => (ops.length > 1 ? { ops: ops.toReversed() } : undefined)),
    ],
    "duplicated-operation": [
      "An operation twice",
      "The first operation occurs twice.",
      withMembers(({ ops }) => (ops.length > 0 ? { ops: [ops[0], ...ops] } : undefined)),
    ],
    "huge-block": [
      "Too many operations",
      "The block has more operations than any block may have.",
      withMembers(() => ({ ops: Array(200_001).fill({ op: "Delete", key: "0x00" }) })),
    ],
    "too-long-key": [
      "A key that no block has",
      "A key is longer than the chain allows.",
      withMembers(({ ops }) => ({
        ops: [...ops, { op: "Set", key: `0x${"ff".repeat(70_000)}`, value: "0x" }],
      })),
    ],
  }),
  ...refused("mismatch", "root_mismatch", to, {
    "transition-of-another-block": [
      "Another block's transition",
      "The proof of the operations' effect on the state is that of the previous block.",
      withMembers(async ({ header }, node) => {
        const { transitions } = await node("prooflight_block", { at: header.parent });
        return { transitions };
      }),
    ],
    "flipped-transition": [
      "One bit of a transition",
      "One bit of the proof is flipped.",
      withTransition((proof) => flipped(proof, 1)),
    ],
  }),
  ...refused("malformed", "truncated", to, {
    "truncated-transition": [
      "Half of a transition",
      "The second half of the proof is missing.",
      withTransition(firstHalf),
    ],
  }),
  ...refused("malformed", "invalid_result", to, {
    "no-transition": [
      "No transition",
      "The block has no proof of its effect.",
      withMembers(() => ({ transitions: {} })),
    ],
  }),
  ...refused("mismatch", "wrong_block", to, {
    "skipped-block": [
      "The block after",
      "The reply is a complete, true block, but the next one.",
      withMembers(({ header }, node) =>
        node("prooflight_block", { at: quantity(BigInt(header.height) + 1n) }),
      ),
    ],
    "header-of-another-block": [
      "Another block's header",
      "The header is that of the previous block.",
      withMembers(async ({ header }, node) => ({
        header: await node("prooflight_header", { at: header.parent }),
      })),
    ],
  }),
];

/** Replaces members of a block. */
function withMembers(change) {
  return inResultOf("prooflight_block")(async ({ honest, node }) => {
    const changed = await change(honest, node);
    return changed && { ...honest, ...changed };
  });
}

function withTransition(change) {
  return withMembers(({ transitions: { avl } }) => ({
    transitions: { avl: toHex(change(fromHex(avl))) },
  }));
}
