// Lies about the value of one key, with proofs of the scheme `smt`: the header is right, the proof is not.

import { flipped, fromHex } from "../header.mjs";
import {
  hashKey,
  isOffWay,
  leafOf,
  onWayOf,
  readKeyProof,
  withLeaves,
  writeKeyProof,
} from "../smt.mjs";
import { absentKeys, otherValue, presentKeys } from "./keys.mjs";
import {
  beginningWith,
  inProofOfKey,
  proofOfFirst,
  refused,
  withByteAfter,
  withoutLastByte,
} from "./lie.mjs";

const inProof = inProofOfKey("smt");

const to = ["get by smt", "get by smt at height"];

/** @type {import("./index.mjs").Lie[]} */
export const smt = [
  ...refused("mismatch", "root_mismatch", to, {
    "smt-changed-value": [
      "Another value, by smt",
      "The value in the proof is replaced by another one.",
      withLeaf((leaf) => leaf.value && { ...leaf, value: otherValue(leaf.value) }),
    ],
    "smt-older-value": [
      "A value that seems to be older",
      "The value is true, but claims to be a block older than it is.",
      withLeaf((leaf) => leaf.height > 0 && { ...leaf, height: leaf.height - 1 }),
    ],
    "smt-said-deleted": [
      "A present key is said to be deleted",
      "Instead of the value, the proof says that the key was deleted in the same block.",
      withLeaf(({ form, height }) => form === "live" && { height, form: "deleted", index: 0 }),
    ],
    "smt-empty-tree": [
      "A state without any key",
      "The proof is that of a state in which nothing was ever written.",
      withRoot(() => writeKeyProof(undefined, 0)),
    ],
    "smt-another-keys-proof": [
      "Another key's value, by smt",
      "The proof is that of another key's value, rearranged for the path of the requested key.",
      withRoot(async (_, call) => {
        const keys = presentKeys(call.node, call.honest.header.hash);
        return ofOther(keys, call, (root) => leafOf(root).form === "live");
      }),
    ],
    "smt-flipped-bit": [
      "One bit of a proof of smt flipped",
      "The last bit of the proof is flipped.",
      inProof((proof) => flipped(proof, proof.length - 1)),
    ],
  }),
  ...refused("mismatch", "leaf_off_path", to, {
    "smt-another-keys-absence": [
      "Another key's absence, by smt",
      "The proof shows that another key was never written, rearranged for the path of the requested key.",
      withRoot((_, call) =>
        ofOther(absentKeys(), call, (root) => {
          const { keyHash } = leafOf(root);
          return keyHash && isOffWay(root, call.key, keyHash);
        }),
      ),
    ],
  }),
  ...refused("mismatch", "leaf_of_key", to, {
    "smt-hidden-by-itself": [
      "A key hidden by itself",
      "The key's own leaf is shown as if it were another key's, so that the key seems absent.",
      withLeaf(({ height }, { key }) => ({
        height,
        form: "other deleted",
        keyHash: hashKey(key),
      })),
    ],
  }),
  ...refused("mismatch", "leaf_index", to, {
    "smt-no-such-leaf": [
      "The leaf of a key that nobody asked for",
      "The leaf claims to be that of the second requested key, but only one key was requested.",
      withLeaf((leaf) => leaf.index === 0 && { ...leaf, index: 1 }),
    ],
  }),
  ...refused("mismatch", "version_out_of_range", to, {
    "smt-before-the-first-block": [
      "A state from before the first block",
      "The proof says that the state last changed before the first block.",
      withRoot((root, { block }) => root && writeKeyProof(root, 2 * block + 1)),
    ],
  }),
  ...refused("malformed", "truncated", to, {
    "smt-truncated-proof": [
      "A truncated proof of smt",
      "The last byte of the proof is missing.",
      inProof(withoutLastByte),
    ],
  }),
  ...refused("malformed", "trailing_bytes", to, {
    "smt-extended-proof": [
      "A proof of smt with a byte after it",
      "A byte is added to the end of the proof.",
      inProof(withByteAfter),
    ],
  }),
  ...refused("malformed", "unknown_scheme", to, {
    "smt-another-schemes-proof": [
      "A proof of another scheme",
      "The proof claims to be one of the scheme lvmt.",
      inProof(beginningWith(1, 2)),
    ],
  }),
  ...refused("malformed", "unknown_kind", to, {
    "smt-history-for-value": [
      "A history instead of a proof",
      "The proof claims to be a history, which was not requested.",
      inProof(beginningWith(1, 3, 2)),
    ],
  }),
];

/** Sends a proof with another root. */
function withRoot(change) {
  return inProof((proof, call) => {
    const key = fromHex(call.params.keys[0]);
    const block = Number(call.honest.header.height);
    return change(readKeyProof(proof, key, block), { ...call, key, block });
  });
}

/** Sends a proof with another leaf. */
function withLeaf(change) {
  return withRoot((root, call) => {
    const changed = root && change(leafOf(root), call);
    return (
      changed &&
      writeKeyProof(
        withLeaves(root, () => changed),
        call.block,
      )
    );
  });
}

/** The first proof of another key whose root is as wanted, rearranged for the path of the requested key. */
async function ofOther(keys, call, isWanted) {
  const read = (proof, key) => readKeyProof(proof, key, call.block);
  const root = await proofOfFirst(keys, call, read, isWanted);
  return root && writeKeyProof(onWayOf(call.key, root), call.block);
}
