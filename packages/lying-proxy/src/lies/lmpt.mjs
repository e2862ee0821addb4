// Lies about the value of one key, told with proofs of the scheme `lmpt`: the header is right, the proof is not.

import { flipped, fromHex, toHex } from "../header.mjs";
import { leafOf, pathOf, readProof, writeLeaf, writeProof } from "../lmpt.mjs";
import { absentKeys, otherValue, presentKeys } from "./keys.mjs";

const to = ["get by lmpt", "get by lmpt at height"];
const toOverwritten = [...to, "get deleted by lmpt"];
const otherNode = { code: "mismatch", reason: "node_mismatch", to };
const otherRoot = { code: "mismatch", reason: "root_mismatch", to };
const missing = { code: "mismatch", reason: "node_missing", to };
const leftOver = { code: "mismatch", reason: "node_left_over", to };

const TOMBSTONE = Buffer.of(0);
const NOTHING = { delta: [], intermediate: [], snapshot: [] };

/** @type {import("./index.mjs").Lie[]} */
export const lmpt = [
  {
    name: "lmpt-changed-value",
    title: "Another value, by lmpt",
    explanation: "The value in the proof is replaced by another one.",
    ...otherNode,
    result: withLeaf(({ value: [tag, ...value] }) =>
      Buffer.of(tag, ...otherValue(Buffer.from(value))),
    ),
  },
  {
    name: "lmpt-said-deleted",
    title: "A present key is said to be deleted, by lmpt",
    explanation: "Instead of the value, the newest layer has the mark of a deletion.",
    ...otherNode,
    result: withLeaf(() => TOMBSTONE),
  },
  {
    name: "lmpt-hidden-write",
    title: "The newest write is hidden",
    explanation:
      "The proof shows an older value, without the layer in which the key was written again or deleted.",
    ...missing,
    to: toOverwritten,
    result: withOlderValue((proof, older) => ({ ...proof, [settling(proof)]: [], ...older })),
  },
  {
    name: "lmpt-older-value-too",
    title: "The newest write and an older one",
    explanation:
      "The proof shows the newest write of the key, and an older value in a lower layer.",
    ...leftOver,
    to: toOverwritten,
    result: withOlderValue((proof, older) => ({ ...proof, ...older })),
  },
  {
    name: "lmpt-older-layer-first",
    title: "An older layer in place of the newest",
    explanation: "The older value is shown as if its layer were the one with the newest writes.",
    ...otherRoot,
    result: withOlderValue((_, older) => ({ ...NOTHING, delta: Object.values(older)[0] })),
  },
  {
    name: "lmpt-one-layer",
    title: "All layers in one",
    explanation: "The nodes of two layers are shown as those of one.",
    ...leftOver,
    result: withOlderValue(({ delta }, older) => ({
      ...NOTHING,
      delta: [...delta, ...Object.values(older)[0]],
    })),
  },
  {
    name: "lmpt-previous-block",
    title: "The proof of the previous block",
    explanation: "The proof is true, but for the state one block before.",
    ...otherRoot,
    result: withProof(async (_, { params, honest, node }) => {
      const at = `0x${(BigInt(honest.header.height) - 1n).toString(16)}`;
      const { proof } = await node("prooflight_prove", { ...params, at });
      return readProof(fromHex(proof));
    }),
  },
  {
    name: "lmpt-another-keys-proof",
    title: "Another key's value, by lmpt",
    explanation: "The proof is true, but for another key that has a value.",
    ...otherNode,
    result: withProof(async (_, call) => {
      for await (const key of presentKeys(call.node, call.honest.header.hash)) {
        const proof = await proofOf([key], call);
        if (key !== call.params.keys[0] && leafOf(proof.delta, fromHex(key))) return proof;
      }
      return undefined;
    }),
  },
  {
    name: "lmpt-another-keys-absence",
    title: "Another key's absence, by lmpt",
    explanation: "The proof is true, but shows that another key is in none of the layers.",
    ...missing,
    result: withProof(async ({ delta }, call) => {
      for (const key of absentKeys()) {
        const proof = await proofOf([key], call);
        if (proof.delta.length < delta.length) return proof;
      }
      return undefined;
    }),
  },
  {
    name: "lmpt-more-than-asked",
    title: "More than requested, by lmpt",
    explanation: "The proof shows the requested key and another one.",
    ...leftOver,
    result: withProof(async ({ delta }, call) => {
      for (const key of absentKeys()) {
        const proof = await proofOf([...call.params.keys, key], call);
        if (proof.delta.length === delta.length) return proof;
      }
      return undefined;
    }),
  },
  {
    name: "lmpt-no-leaf",
    title: "A path that ends before the leaf",
    explanation: "The last node of the key's path is missing, so that the key seems absent.",
    ...missing,
    result: withProof((proof) => ({ ...proof, delta: proof.delta.slice(0, -1) })),
  },
  {
    name: "lmpt-leaf-twice",
    title: "A node twice",
    explanation: "The last node of the key's path occurs twice.",
    ...leftOver,
    result: withProof((proof) => ({ ...proof, delta: [...proof.delta, proof.delta.at(-1)] })),
  },
  {
    name: "lmpt-no-nodes",
    title: "A proof without nodes, by lmpt",
    explanation: "The proof has no nodes, as if every layer were empty.",
    ...missing,
    result: withProof(() => NOTHING),
  },
  {
    name: "lmpt-empty-layer",
    title: "An empty layer as a node",
    explanation: "The newest layer is shown as empty.",
    code: "malformed",
    reason: "invalid_node",
    to,
    result: withProof((proof) => ({ ...proof, delta: [Buffer.of(0x80)] })),
  },
  {
    name: "lmpt-flipped-bit",
    title: "One bit of a proof of lmpt flipped",
    explanation: "The last bit of the key's leaf is flipped.",
    ...otherNode,
    result: withProof((proof) => {
      const leaf = proof.delta.at(-1);
      return { ...proof, delta: proof.delta.with(-1, flipped(leaf, leaf.length - 1)) };
    }),
  },
  {
    name: "lmpt-truncated-proof",
    title: "A truncated proof of lmpt",
    explanation: "The last byte of the proof is missing.",
    code: "malformed",
    reason: "invalid_encoding",
    to,
    result: withBytes((bytes) => bytes.subarray(0, -1)),
  },
  {
    name: "lmpt-extended-proof",
    title: "A proof of lmpt with a byte after it",
    explanation: "A byte is added to the end of the proof.",
    code: "malformed",
    reason: "trailing_bytes",
    to,
    result: withBytes((bytes) => Buffer.concat([bytes, Buffer.of(0)])),
  },
  {
    name: "lmpt-another-schemes-proof",
    title: "A proof of the scheme mpt",
    explanation: "The proof claims to be one of Ethereum's tries, which have no layers.",
    code: "malformed",
    reason: "unknown_scheme",
    to,
    result: withBytes((bytes) => Buffer.concat([Buffer.of(1, 4), bytes.subarray(2)])),
  },
];

/** Sends other bytes as the proof about the one requested key. */
function withBytes(change) {
  return async ({ method, params, honest, node }) => {
    if (method !== "prooflight_prove" || params.scheme !== "lmpt" || !honest) return undefined;
    if (params.keys.length !== 1) return undefined;
    const proof = await change(fromHex(honest.proof), { params, honest, node });
    return proof && { ...honest, proof: toHex(proof) };
  };
}

function withProof(change) {
  return withBytes(async (bytes, call) => {
    const changed = await change(readProof(bytes), call);
    return changed && writeProof(changed);
  });
}

/** Sends a proof with another value in the key's leaf in delta. */
function withLeaf(valueOf) {
  return withProof((proof, { params }) => {
    const leaf = leafOf(proof.delta, fromHex(params.keys[0]));
    if (!leaf) return undefined;
    const changed = writeLeaf({ ...leaf, value: valueOf(leaf) });
    return { ...proof, delta: proof.delta.with(-1, changed) };
  });
}

/** Sends a proof with the true nodes of a layer below the one that settles the key. There, the key has an older value. */
function withOlderValue(change) {
  return withProof(async (proof, call) => {
    const key = fromHex(call.params.keys[0]);
    const lower = await proofOf([neighbourOf(key)], call);
    const older = Object.entries(lower).find(
      ([layer, nodes]) => proof[layer].length === 0 && leafOf(nodes, key),
    );
    return older && change(proof, Object.fromEntries([older]));
  });
}

/** The layer that settles the key: the last one that a true proof shows. */
const settling = (proof) => Object.keys(proof).findLast((layer) => proof[layer].length > 0);

/** The true proof of other keys at the same block. */
async function proofOf(keys, { params, honest, node }) {
  const at = honest.header.hash;
  const { proof } = await node("prooflight_prove", { ...params, keys, at });
  return readProof(fromHex(proof));
}

/**
 * A key that nobody has set, whose path begins as another key's. Since it is in no layer, its proof shows all of them,
 * each down to the other key's leaf unless the state is large.
 */
function neighbourOf(key) {
  const begin = pathOf(key).slice(0, SHARED);
  for (let number = 0; ; number++) {
    const neighbour = Buffer.from(`nobody ever set this neighbour ${number}`);
    if (pathOf(neighbour).startsWith(begin)) return toHex(neighbour);
  }
}

/** The nibbles that a key shares with its neighbour. */
const SHARED = 3;
