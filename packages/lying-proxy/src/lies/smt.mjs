// Lies about the value of one key, with proofs of the scheme `smt`: the header is right, the proof is not.

import { flipped, fromHex, toHex } from "../header.mjs";
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

const to = ["get by smt", "get by smt at height"];
const otherRoot = { code: "mismatch", reason: "root_mismatch", to };

/** @type {import("./index.mjs").Lie[]} */
export const smt = [
  {
    name: "smt-changed-value",
    title: "Another value, by smt",
    explanation: "The value in the proof is replaced by another one.",
    ...otherRoot,
    result: withLeaf((leaf) => leaf.value && { ...leaf, value: otherValue(leaf.value) }),
  },
  {
    name: "smt-older-value",
    title: "A value that seems to be older",
    explanation: "The value is true, but claims to be a block older than it is.",
    ...otherRoot,
    result: withLeaf((leaf) => leaf.height > 0 && { ...leaf, height: leaf.height - 1 }),
  },
  {
    name: "smt-said-deleted",
    title: "A present key is said to be deleted",
    explanation: "Instead of the value, the proof says that the key was deleted in the same block.",
    ...otherRoot,
    result: withLeaf(
      ({ form, height }) => form === "live" && { height, form: "deleted", index: 0 },
    ),
  },
  {
    name: "smt-empty-tree",
    title: "A state without any key",
    explanation: "The proof is that of a state in which nothing was ever written.",
    ...otherRoot,
    result: withRoot(() => writeKeyProof(undefined, 0)),
  },
  {
    name: "smt-another-keys-proof",
    title: "Another key's value, by smt",
    explanation:
      "The proof is that of another key's value, rearranged for the path of the requested key.",
    ...otherRoot,
    result: withRoot(async (_, call) => {
      for await (const [root, block] of otherProofs(
        presentKeys(call.node, call.honest.header.hash),
        call,
      )) {
        if (leafOf(root).form === "live") return writeKeyProof(onWayOf(call.key, root), block);
      }
      return undefined;
    }),
  },
  {
    name: "smt-another-keys-absence",
    title: "Another key's absence, by smt",
    explanation:
      "The proof shows that another key was never written, rearranged for the path of the requested key.",
    code: "mismatch",
    reason: "leaf_off_path",
    to,
    result: withRoot(async (_, call) => {
      for await (const [root, block] of otherProofs(absentKeys(), call)) {
        const { keyHash } = leafOf(root);
        if (keyHash && isOffWay(root, call.key, keyHash)) {
          return writeKeyProof(onWayOf(call.key, root), block);
        }
      }
      return undefined;
    }),
  },
  {
    name: "smt-hidden-by-itself",
    title: "A key hidden by itself",
    explanation:
      "The key's own leaf is shown as if it were another key's, so that the key seems absent.",
    code: "mismatch",
    reason: "leaf_of_key",
    to,
    result: withLeaf(({ height }, { key }) => ({
      height,
      form: "other deleted",
      keyHash: hashKey(key),
    })),
  },
  {
    name: "smt-no-such-leaf",
    title: "The leaf of a key that nobody asked for",
    explanation:
      "The leaf claims to be that of the second requested key, but only one key was requested.",
    code: "mismatch",
    reason: "leaf_index",
    to,
    result: withLeaf((leaf) => leaf.index === 0 && { ...leaf, index: 1 }),
  },
  {
    name: "smt-before-the-first-block",
    title: "A state from before the first block",
    explanation: "The proof says that the state last changed before the first block.",
    code: "mismatch",
    reason: "version_out_of_range",
    to,
    result: withRoot((root, { block }) => root && writeKeyProof(root, 2 * block + 1)),
  },
  {
    name: "smt-truncated-proof",
    title: "A truncated proof of smt",
    explanation: "The last byte of the proof is missing.",
    code: "malformed",
    reason: "truncated",
    to,
    result: withProof((proof) => proof.subarray(0, -1)),
  },
  {
    name: "smt-extended-proof",
    title: "A proof of smt with a byte after it",
    explanation: "A byte is added to the end of the proof.",
    code: "malformed",
    reason: "trailing_bytes",
    to,
    result: withProof((proof) => Buffer.concat([proof, Buffer.of(0)])),
  },
  {
    name: "smt-flipped-bit",
    title: "One bit of a proof of smt flipped",
    explanation: "The last bit of the proof is flipped.",
    ...otherRoot,
    result: withProof((proof) => flipped(proof, proof.length - 1)),
  },
  {
    name: "smt-another-schemes-proof",
    title: "A proof of another scheme",
    explanation: "The proof claims to be one of the scheme lvmt.",
    code: "malformed",
    reason: "unknown_scheme",
    to,
    result: withProof((proof) => Buffer.concat([Buffer.of(1, 2), proof.subarray(2)])),
  },
  {
    name: "smt-history-for-value",
    title: "A history instead of a proof",
    explanation: "The proof claims to be a history, which was not requested.",
    code: "malformed",
    reason: "unknown_kind",
    to,
    result: withProof((proof) => Buffer.concat([Buffer.of(1, 3, 2), proof.subarray(3)])),
  },
];

/** Sends another proof about the one requested key. */
function withProof(change) {
  return async ({ method, params, honest, node }) => {
    if (method !== "prooflight_prove" || params.scheme !== "smt" || !honest) return undefined;
    if (params.keys.length !== 1) return undefined;
    const block = Number(honest.header.height);
    const key = fromHex(params.keys[0]);
    const proof = await change(fromHex(honest.proof), { params, honest, node, block, key });
    return proof && { ...honest, proof: toHex(proof) };
  };
}

/** Sends a proof with another root. */
function withRoot(change) {
  return withProof((proof, call) => change(readKeyProof(proof, call.key, call.block), call));
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

/** The roots of the true proofs of other keys. */
async function* otherProofs(keys, { params, honest, node, block }) {
  for await (const key of keys) {
    if (key === params.keys[0]) continue;
    const at = honest.header.hash;
    const { proof } = await node("prooflight_prove", { ...params, keys: [key], at });
    const root = readKeyProof(fromHex(proof), fromHex(key), block);
    if (root) yield [root, block];
  }
}
