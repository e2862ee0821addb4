// Lies about the history of a key: changes that are hidden, moved or invented. The headers are true, and of
// exactly the blocks that the false history needs.

import { fromHex, toHex } from "../header.mjs";
import { placeHeaders } from "../place.mjs";
import { isChange, onWayOf, readHistory, withLeaves, writeHistory } from "../smt.mjs";
import { otherValue, presentKeys } from "./keys.mjs";
import {
  beginningWith,
  inProofOf,
  inResultOf,
  quantity,
  refused,
  withByteAfter,
  withoutLastByte,
} from "./lie.mjs";

const inProof = inProofOf("prooflight_history");

const to = ["history", "history to height"];

/** @type {import("./index.mjs").Lie[]} */
export const changes = [
  ...refused("mismatch", "root_mismatch", to, {
    "hidden-newest-change": [
      "The newest change is hidden",
      "The history ends with the change before the newest one, as if the key had kept that value.",
      withParts(
        ([newest, before, ...older]) => before && [{ ...before, block: newest.block }, ...older],
      ),
    ],
    "hidden-change": [
      "A change in the middle is hidden",
      "The proofs of one change are cut out and the rest is joined, as if the change had never happened.",
      withParts(
        ([newest, hidden, before, ...older]) =>
          before && [newest, { ...before, block: hidden.block }, ...older],
      ),
    ],
    "hidden-past": [
      "The history ends too early",
      "The proof of the key's value before the range is missing, as if it had had none.",
      withParts((parts) => {
        const oldest = parts.at(-1);
        return !isChange(oldest, oldest.from) && oldest.root ? parts.slice(0, -1) : undefined;
      }),
    ],
    "moved-change": [
      "A change is moved",
      "One change claims to be a block earlier than it was.",
      withParts(async (parts, call) => {
        const { from } = call;
        const at = parts.findIndex(
          (part, index) =>
            isChange(part, from + 1) && parts[index + 1]?.leaf?.height !== part.leaf.height - 1,
        );
        if (at < 0) return undefined;
        const moved = withHeight(parts[at], parts[at].leaf.height - 1);
        return [...parts.slice(0, at), moved, ...(await before(moved, call))];
      }),
    ],
    "made-up-change": [
      "A change is invented",
      "The newest block of the range claims to have changed the key, which it did not.",
      withParts(async ([newest], call) => {
        if (!newest.leaf || newest.leaf.height === newest.block) return undefined;
        const { index = 0, value = Buffer.from("1") } = newest.leaf;
        const made = withHeight(newest, newest.block, {
          ...{ form: "live", index, value: otherValue(value) },
          ...{ keyHash: undefined, valueHash: undefined },
        });
        return [made, ...(await before(made, call))];
      }),
    ],
    "changed-past-value": [
      "Another value in the past",
      "The oldest value of the history is replaced by another one.",
      withParts((parts) => {
        const at = parts.findLastIndex(({ leaf }) => leaf?.form === "live");
        if (at < 0) return undefined;
        const value = otherValue(parts[at].leaf.value);
        return parts.with(at, withHeight(parts[at], parts[at].leaf.height, { value }));
      }),
    ],
    "another-keys-history": [
      "Another key's history",
      "The history is true, but of another key, rearranged for the path of the requested key.",
      withParts(async (_, { node, params, honest, from, to: last, key }) => {
        for await (const other of presentKeys(node, honest.head.hash)) {
          if (other === params.key) continue;
          const { proof } = await node("prooflight_history", {
            ...{ ...params, key: other },
            head: honest.head.hash,
          });
          const parts = readHistory(fromHex(proof), fromHex(other), from, last);
          // The leaf with the other key's value before its first change is not on this path.
          return parts.map(({ root, leaf, block }) => {
            const isOwn = leaf && !leaf.form.startsWith("other");
            return { root: isOwn ? onWayOf(key, root) : undefined, block };
          });
        }
        return undefined;
      }),
    ],
    "shorter-history": [
      "A history for fewer blocks",
      "The history ends one block before the last block that it claims to cover.",
      withParts(async ([{ block }], call) => {
        if (block - 1 < call.from) return undefined;
        const older = await historyTo(block - 1, call);
        return older.with(0, { ...older[0], block });
      }),
    ],
    "empty-history": [
      "A history without proofs",
      "All proofs are missing, as if nothing had ever been written.",
      withParts(([{ root, block }]) => root && [{ root: undefined, block }]),
    ],
  }),
  ...refused("malformed", "truncated", to, {
    "truncated-history": [
      "A history without its last byte",
      "The last byte of the history is missing.",
      inProof(withoutLastByte),
    ],
  }),
  ...refused("malformed", "trailing_bytes", to, {
    "extended-history": [
      "A history with a byte after it",
      "A byte is added to the end of the history.",
      inProof(withByteAfter),
    ],
  }),
  ...refused("malformed", "unknown_kind", to, {
    "value-for-history": [
      "A single value in place of a history",
      "The reply claims to be the proof of one value, not a history.",
      inProof(beginningWith(1, 3, 1)),
    ],
  }),
];

/** Sends a history of other parts, with the headers that it needs; without parts there is no lie. */
function withParts(change) {
  return inResultOf("prooflight_history")(async ({ params, honest, node }) => {
    const key = fromHex(params.key);
    const from = Number(params.from);
    const head = Number(honest.head.height);
    const last = params.to === "latest" ? head : Number(params.to);
    const parts = readHistory(fromHex(honest.proof), key, from, last);
    const changed = await change(
      parts.map((part) => ({ ...part, from })),
      { params, honest, node, key, from, to: last },
    );
    if (!changed) return undefined;
    const proof = writeHistory(changed);
    const needed = readHistory(proof, key, from, last).flatMap((part) => [
      part.block,
      ...(isChange(part, from) ? [part.leaf.height] : []),
    ]);
    const placed = await placeHeaders(node, honest.head, [from, last, ...needed]);
    return { ...honest, ...placed, proof: toHex(proof) };
  });
}

/** A part whose leaf has another height, and optionally other members. */
function withHeight(part, height, members = {}) {
  const root = withLeaves(part.root, () => ({ ...part.leaf, ...members, height }));
  return { ...part, root, leaf: { ...part.leaf, ...members, height } };
}

/** The true parts of the history before a change. */
function before({ leaf }, call) {
  return leaf.height > call.from ? historyTo(leaf.height - 1, call) : [];
}

/** The parts of the true history up to a block. */
async function historyTo(block, { node, params, honest, key, from }) {
  const { proof } = await node("prooflight_history", {
    ...params,
    to: quantity(block),
    head: honest.head.hash,
  });
  return readHistory(fromHex(proof), key, from, block);
}
