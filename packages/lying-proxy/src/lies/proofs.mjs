// Lies about values with AVL+ proofs: the header is right, the proof is not.

import { flipped, fromHex, toHex } from "../header.mjs";
import { readProof, withLeaves, writeProof } from "../proof.mjs";
import { absentKeys, otherValue, presentKeys } from "./keys.mjs";

const GET = ["get", "get at height", "get at hash", "get many"];

/** @type {import("./index.mjs").Lie[]} */
export const proofs = [
  {
    name: "changed-value",
    title: "Another value",
    explanation: "The value in the proof is replaced by another one.",
    code: "mismatch",
    reason: "root_mismatch",
    to: GET,
    result: withLeavesOf(({ value }) => ({ value: otherValue(value) })),
  },
  {
    name: "hidden-key",
    title: "A present key is said to be absent",
    explanation:
      "The leaf of the key gets a smaller key, so that the requested key seems to lie between two leaves.",
    code: "mismatch",
    reason: "root_mismatch",
    to: GET,
    result: withLeavesOf(({ key }) => key && { key: oneLess(key) }),
  },
  {
    name: "another-keys-proof",
    title: "Another key's value",
    explanation: "The proof is true, but for another key that has a value.",
    code: "mismatch",
    reason: "key_not_in_leaf",
    to: ["get", "get at height", "get at hash"],
    result: withProofOf(presentKeys),
  },
  {
    name: "another-keys-absence",
    title: "Another key's absence",
    explanation: "The proof is true, but shows that another key is absent.",
    code: "mismatch",
    reason: "key_not_in_leaf",
    to: ["get", "get at height", "get at hash"],
    result: withProofOf(absentKeys),
  },
  {
    name: "swapped-keys",
    title: "Answers in another order",
    explanation: "The proof shows the values of the requested keys, but in reverse order.",
    code: "mismatch",
    reason: "key_not_in_leaf",
    to: ["get many"],
    result: async ({ method, params, honest, node }) => {
      if (!isAvl({ method, params, honest }) || params.keys.length < 2) return undefined;
      const keys = params.keys.toReversed();
      return node(method, { ...params, keys, at: honest.header.hash });
    },
  },
  {
    name: "more-than-asked",
    title: "More than requested",
    explanation: "The proof shows many keys, including the requested one.",
    code: "mismatch",
    reason: "too_many_nodes",
    to: ["get", "get at height", "get at hash"],
    result: async ({ method, params, honest, node }) => {
      if (!isAvl({ method, params, honest })) return undefined;
      const keys = [...params.keys, ...absentKeys()];
      return node(method, { ...params, keys, at: honest.header.hash });
    },
  },
  {
    name: "nothing-shown",
    title: "Only a hash",
    explanation: "The proof is only the root's label, which fits the header but shows no leaf.",
    code: "mismatch",
    reason: "node_not_expanded",
    to: GET,
    result: withProof((proof, { header }) => {
      const label = fromHex(header.roots.avl).subarray(0, 32);
      return writeProof({ ...readProof(proof), nodes: [{ label }] });
    }),
  },
  {
    name: "no-leaf",
    title: "The path ends before the leaf",
    explanation: "The proof lacks the directions that lead to the key's leaf.",
    code: "mismatch",
    reason: "directions_exhausted",
    to: GET,
    result: withProof((proof) => writeProof({ ...readProof(proof), directions: Buffer.of() })),
  },
  {
    name: "other-way",
    title: "The path to another place",
    explanation:
      "The directions lead away from the key's leaf, to a part of the tree that is not shown.",
    code: "mismatch",
    reason: "node_not_expanded",
    to: ["get", "get at height", "get at hash"],
    result: withProof((proof) => {
      const { nodes, directions } = readProof(proof);
      return writeProof({ nodes, directions: directions.map((byte) => byte ^ 0xff) });
    }),
  },
  {
    name: "flipped-bit",
    title: "One bit of the proof flipped",
    explanation: "One bit of a label or key in the proof is flipped.",
    code: "mismatch",
    reason: "root_mismatch",
    to: GET,
    result: withProof((proof) => flipped(proof, 1)),
  },
  {
    name: "truncated-proof",
    title: "Half of a proof",
    explanation: "The second half of the proof is missing.",
    code: "malformed",
    reason: "truncated",
    to: GET,
    result: withProof((proof) => proof.subarray(0, proof.length / 2)),
  },
  {
    name: "empty-proof",
    title: "No proof",
    explanation: "The proof has no bytes.",
    code: "malformed",
    reason: "truncated",
    to: GET,
    result: withProof(() => Buffer.of()),
  },
  {
    name: "extended-proof",
    title: "A proof with a byte after it",
    explanation: "A byte is added to the end of the proof.",
    code: "mismatch",
    reason: "directions_left_over",
    to: GET,
    result: withProof((proof) => Buffer.concat([proof, Buffer.of(0)])),
  },
  {
    name: "huge-length",
    title: "A value of 4 GiB",
    explanation: "The proof declares a value of 4,294,967,295 bytes.",
    code: "malformed",
    reason: "value_too_large",
    to: GET,
    result: withLeavesOf(() => ({ length: 0xffffffff })),
  },
  {
    name: "huge-proof",
    title: "A proof of 9 MiB",
    explanation: "The proof is followed by so many zeros that it exceeds the limit.",
    code: "unavailable",
    reason: "invalid_reply",
    to: GET,
    result: withProof((proof) => Buffer.concat([proof, Buffer.alloc(9 << 20)])),
  },
];

/** Whether an AVL+ proof is requested, and there is one. */
const isAvl = ({ method, params, honest }) =>
  method === "prooflight_prove" && params.scheme === "avl" && honest !== undefined;

/** Sends another proof with the same header. */
function withProof(change) {
  return async ({ method, params, honest }) => {
    if (!isAvl({ method, params, honest })) return undefined;
    return { ...honest, proof: toHex(change(fromHex(honest.proof), honest)) };
  };
}

function withLeavesOf(change) {
  return withProof((proof) => writeProof(withLeaves(readProof(proof), change)));
}

/** Sends the proof of the first other key whose proof differs. */
function withProofOf(others) {
  return async ({ method, params, honest, node }) => {
    if (!isAvl({ method, params, honest })) return undefined;
    const at = honest.header.hash;
    for await (const key of others(node, at)) {
      const other = await node(method, { ...params, keys: params.keys.map(() => key), at });
      if (other.proof !== honest.proof) return other;
    }
    return undefined;
  };
}

function oneLess(key) {
  const number = BigInt(toHex(key));
  if (number === 0n) return key;
  return Buffer.from((number - 1n).toString(16).padStart(64, "0"), "hex");
}
