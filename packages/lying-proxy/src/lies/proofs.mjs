// Lies about values with AVL+ proofs: the header is right, the proof is not.

import { flipped, fromHex, toHex } from "../header.mjs";
import { readProof, withLeaves, writeProof } from "../proof.mjs";
import { absentKeys, otherValue, presentKeys } from "./keys.mjs";
import { firstHalf, inProofOf, proofOf, refused, withByteAfter } from "./lie.mjs";

const inProof = inProofOf("prooflight_prove", ({ scheme }) => scheme === "avl");

const GET = ["get", "get at height", "get at hash", "get many"];

/** @type {import("./index.mjs").Lie[]} */
export const proofs = [
  ...refused("mismatch", "root_mismatch", GET, {
    "changed-value": [
      "Another value",
      "The value in the proof is replaced by another one.",
      withLeavesOf(({ value }) => ({ value: otherValue(value) })),
    ],
    "hidden-key": [
      "A present key is said to be absent",
      "The leaf of the key gets a smaller key, so that the requested key seems to lie between two leaves.",
      withLeavesOf(({ key }) => key && { key: oneLess(key) }),
    ],
    "flipped-bit": [
      "One bit of the proof flipped",
      "One bit of a label or key in the proof is flipped.",
      inProof((proof) => flipped(proof, 1)),
    ],
  }),
  ...refused("mismatch", "key_not_in_leaf", ["get", "get at height", "get at hash"], {
    "another-keys-proof": [
      "Another key's value",
      "The proof is true, but for another key that has a value.",
      withProofOf(presentKeys),
    ],
    "another-keys-absence": [
      "Another key's absence",
      "The proof is true, but shows that another key is absent.",
      withProofOf(absentKeys),
    ],
  }),
  ...refused("mismatch", "key_not_in_leaf", ["get many"], {
    "swapped-keys": [
      "Answers in another order",
      "The proof shows the values of the requested keys, but in reverse order.",
      inProof((_, call) => {
        const { keys } = call.params;
        return keys.length > 1 ? proofOf(keys.toReversed(), call) : undefined;
      }),
    ],
  }),
  ...refused("mismatch", "too_many_nodes", ["get", "get at height", "get at hash"], {
    "more-than-asked": [
      "More than requested",
      "The proof shows many keys, including the requested one.",
      inProof((_, call) => proofOf([...call.params.keys, ...absentKeys()], call)),
    ],
  }),
  ...refused("mismatch", "node_not_expanded", GET, {
    "nothing-shown": [
      "Only a hash",
      "The proof is only the root's label, which fits the header but shows no leaf.",
      inProof((proof, { honest }) => {
        const label = fromHex(honest.header.roots.avl).subarray(0, 32);
        return writeProof({ ...readProof(proof), nodes: [{ label }] });
      }),
    ],
  }),
  ...refused("mismatch", "directions_exhausted", GET, {
    "no-leaf": [
      "The path ends before the leaf",
      "The proof lacks the directions that lead to the key's leaf.",
      inProof((proof) => writeProof({ ...readProof(proof), directions: Buffer.of() })),
    ],
  }),
  ...refused("mismatch", "node_not_expanded", ["get", "get at height", "get at hash"], {
    "other-way": [
      "The path to another place",
      "The directions lead away from the key's leaf, to a part of the tree that is not shown.",
      inProof((proof) => {
        const { nodes, directions } = readProof(proof);
        return writeProof({ nodes, directions: directions.map((byte) => byte ^ 0xff) });
      }),
    ],
  }),
  ...refused("malformed", "truncated", GET, {
    "truncated-proof": [
      "Half of a proof",
      "The second half of the proof is missing.",
      inProof(firstHalf),
    ],
    "empty-proof": ["No proof", "The proof has no bytes.", inProof(() => Buffer.of())],
  }),
  ...refused("mismatch", "directions_left_over", GET, {
    "extended-proof": [
      "A proof with a byte after it",
      "A byte is added to the end of the proof.",
      inProof(withByteAfter),
    ],
  }),
  ...refused("malformed", "value_too_large", GET, {
    "huge-length": [
      "A value of 4 GiB",
      "The proof declares a value of 4,294,967,295 bytes.",
      withLeavesOf(() => ({ length: 0xffffffff })),
    ],
  }),
  ...refused("unavailable", "invalid_reply", GET, {
    "huge-proof": [
      "A proof of 9 MiB",
      "The proof is followed by so many zeros that it exceeds the limit.",
      inProof((proof) => Buffer.concat([proof, Buffer.alloc(9 << 20)])),
    ],
  }),
];

function withLeavesOf(change) {
  return inProof((proof) => writeProof(withLeaves(readProof(proof), change)));
}

/** Sends the proof of the first other key whose proof differs. */
function withProofOf(others) {
  return inProof(async (proof, call) => {
    for await (const key of others(call.node, call.honest.header.hash)) {
      const keys = call.params.keys.map(() => key);
      const other = await proofOf(keys, call);
      if (!other.equals(proof)) return other;
    }
    return undefined;
  });
}

function oneLess(key) {
  const number = BigInt(toHex(key));
  if (number === 0n) return key;
  return Buffer.from((number - 1n).toString(16).padStart(64, "0"), "hex");
}
