// Lies about the value of one key, told with proofs of the scheme `lmpt`: the header is right, the proof is not.

import { flipped, fromHex, toHex } from "../header.mjs";
import { leafOf, pathOf, readProof, writeLeaf, writeProof } from "../lmpt.mjs";
import { absentKeys, otherValue, presentKeys } from "./keys.mjs";
import {
  beginningWith,
  heightBefore,
  inProofOfKey,
  proofOf,
  proofOfFirst,
  refused,
  withByteAfter,
  withoutLastByte,
} from "./lie.mjs";

const inProof = inProofOfKey("lmpt");

const to = ["get by lmpt", "get by lmpt at height"];
const toOverwritten = [...to, "get deleted by lmpt"];

const TOMBSTONE = Buffer.of(0);
const NOTHING = { delta: [], intermediate: [], snapshot: [] };

/** @type {import("./index.mjs").Lie[]} */
export const lmpt = [
  ...refused("mismatch", "node_mismatch", to, {
    "lmpt-changed-value": [
      "Another value, by lmpt",
      "The value in the proof is replaced by another one.",
      withLeaf(({ value: [tag, ...value] }) => Buffer.of(tag, ...otherValue(Buffer.from(value)))),
    ],
    "lmpt-said-deleted": [
      "A present key is said to be deleted, by lmpt",
      "Instead of the value, the newest layer has the mark of a deletion.",
      withLeaf(() => TOMBSTONE),
    ],
    "lmpt-another-keys-proof": [
      "Another key's value, by lmpt",
      "The proof is true, but for another key that has a value.",
      withProof((_, call) => {
        const keys = presentKeys(call.node, call.honest.header.hash);
        return proofOfFirst(keys, call, readProof, ({ delta }, key) => leafOf(delta, key));
      }),
    ],
    "lmpt-flipped-bit": [
      "One bit of a proof of lmpt flipped",
      "The last bit of the key's leaf is flipped.",
      withProof((proof) => {
        const leaf = proof.delta.at(-1);
        return { ...proof, delta: proof.delta.with(-1, flipped(leaf, leaf.length - 1)) };
      }),
    ],
  }),
  ...refused("mismatch", "node_missing", toOverwritten, {
    "lmpt-hidden-write": [
      "The newest write is hidden",
      "The proof shows an older value, without the layer in which the key was written again or deleted.",
      withOlderValue((proof, older) => ({ ...proof, [settling(proof)]: [], ...older })),
    ],
  }),
  ...refused("mismatch", "node_left_over", toOverwritten, {
    "lmpt-older-value-too": [
      "The newest write and an older one",
      "The proof shows the newest write of the key, and an older value in a lower layer.",
      withOlderValue((proof, older) => ({ ...proof, ...older })),
    ],
  }),
  ...refused("mismatch", "root_mismatch", to, {
    "lmpt-older-layer-first": [
      "An older layer in place of the newest",
      "The older value is shown as if its layer were the one with the newest writes.",
      withOlderValue((_, older) => ({ ...NOTHING, delta: Object.values(older)[0] })),
    ],
    "lmpt-previous-block": [
      "The proof of the previous block",
      "The proof is true, but for the state one block before.",
      withProof(async (_, { params, honest, node }) => {
        const at = heightBefore(honest.header);
        const { proof } = await node("prooflight_prove", { ...params, at });
        return readProof(fromHex(proof));
      }),
    ],
  }),
  ...refused("mismatch", "node_left_over", to, {
    "lmpt-one-layer": [
      "All layers in one",
      "The nodes of two layers are shown as those of one.",
      withOlderValue(({ delta }, older) => ({
        ...NOTHING,
        delta: [...delta, ...Object.values(older)[0]],
      })),
    ],
    "lmpt-more-than-asked": [
      "More than requested, by lmpt",
      "The proof shows the requested key and another one.",
      withProof(async ({ delta }, call) => {
        for (const key of absentKeys()) {
          const proof = readProof(await proofOf([...call.params.keys, key], call));
          if (proof.delta.length === delta.length) return proof;
        }
        return undefined;
      }),
    ],
    "lmpt-leaf-twice": [
      "A node twice",
      "The last node of the key's path occurs twice.",
      withProof((proof) => ({ ...proof, delta: [...proof.delta, proof.delta.at(-1)] })),
    ],
  }),
  ...refused("mismatch", "node_missing", to, {
    "lmpt-another-keys-absence": [
      "Another key's absence, by lmpt",
      "The proof is true, but shows that another key is in none of the layers.",
      withProof(({ delta: { length } }, call) =>
        proofOfFirst(absentKeys(), call, readProof, ({ delta }) => delta.length < length),
      ),
    ],
    "lmpt-no-leaf": [
      "A path that ends before the leaf",
      "The last node of the key's path is missing, so that the key seems absent.",
      withProof((proof) => ({ ...proof, delta: proof.delta.slice(0, -1) })),
    ],
    "lmpt-no-nodes": [
      "A proof without nodes, by lmpt",
      "The proof has no nodes, as if every layer were empty.",
      withProof(() => NOTHING),
    ],
  }),
  ...refused("malformed", "invalid_node", to, {
    "lmpt-empty-layer": [
      "An empty layer as a node",
      "The newest layer is shown as empty.",
      withProof((proof) => ({ ...proof, delta: [Buffer.of(0x80)] })),
    ],
  }),
  ...refused("malformed", "invalid_encoding", to, {
    "lmpt-truncated-proof": [
      "A truncated proof of lmpt",
      "The last byte of the proof is missing.",
      inProof(withoutLastByte),
    ],
  }),
  ...refused("malformed", "trailing_bytes", to, {
    "lmpt-extended-proof": [
      "A proof of lmpt with a byte after it",
      "A byte is added to the end of the proof.",
      inProof(withByteAfter),
    ],
  }),
  ...refused("malformed", "unknown_scheme", to, {
    "lmpt-another-schemes-proof": [
      "A proof of the scheme mpt",
      "The proof claims to be one of Ethereum's tries, which have no layers.",
      inProof(beginningWith(1, 4)),
    ],
  }),
];

function withProof(change) {
  return inProof(async (bytes, call) => {
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
    const lower = readProof(await proofOf([neighbourOf(key)], call));
    const older = Object.entries(lower).find(
      ([layer, nodes]) => proof[layer].length === 0 && leafOf(nodes, key),
    );
    return older && change(proof, Object.fromEntries([older]));
  });
}

/** The layer that settles the key: the last one that a true proof shows. */
const settling = (proof) => Object.keys(proof).findLast((layer) => proof[layer].length > 0);

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
