// Lies about heads: headers that the authorities did not sign, or not in this form.

import { flipped, forge, fromHex, readHeader, toHex } from "../header.mjs";
import { firstHalf, refused, withByteAfter } from "./lie.mjs";

const to = ["sync", "get", "history", "diff"];

/** @type {import("./index.mjs").Lie[]} */
export const heads = [
  ...refused("untrusted", "too_few_signatures", to, {
    "changed-state-root": [
      "A head with another state",
      "The state root in the newest header is replaced; the signature is unchanged.",
      withHead(({ roots }) => ({
        roots: roots.map(({ scheme, root }) => ({ scheme, root: flipped(root) })),
      })),
    ],
    "changed-timestamp": [
      "A head that looks newer",
      "The newest header claims to be a second newer than it is.",
      withHead(({ timestampMs }) => ({ timestampMs: timestampMs + 1000n })),
    ],
    "higher-head": [
      "A head that does not exist",
      "The newest header claims to be ten blocks higher than it is.",
      withHead(({ height }) => ({ height: height + 10n })),
    ],
    "changed-history": [
      "A head with another history",
      "The history root in the newest header is replaced.",
      withHead(({ historyRoot }) => ({ historyRoot: flipped(historyRoot) })),
    ],
    "no-signatures": [
      "A head that nobody signed",
      "The signatures of the newest header are missing.",
      withHead(() => ({ signatures: [] })),
    ],
    "changed-signature": [
      "A wrong signature",
      "One bit of each signature of the newest header is flipped.",
      withHead(({ signatures }) => ({
        signatures: signatures.map(({ authority, signature }) => ({
          authority,
          signature: flipped(signature, 40),
        })),
      })),
    ],
    "borrowed-signatures": [
      "Signatures of another block",
      "The newest header carries the signatures of the previous block.",
      async (call) => {
        const latest = await call.node("prooflight_head", {});
        const before = await call.node("prooflight_header", { at: latest.parent });
        const { signatures } = readHeader(fromHex(before.signedHeader));
        return withHead(() => ({ signatures }))(call);
      },
    ],
  }),
  ...refused("malformed", "signature_order", to, {
    "duplicate-signatures": [
      "One signature counted twice",
      "Each signature of the newest header occurs twice.",
      withHead(({ signatures }) => ({
        signatures: signatures.flatMap((signature) => [signature, signature]),
      })),
    ],
    "stranger-signature": [
      "A signature of a stranger",
      "The newest header has an additional signature by an authority that the chain does not have.",
      withHead(({ signatures }) => ({
        signatures: [...signatures, { authority: 0xffff, signature: Buffer.alloc(64, 7) }],
      })),
    ],
    "reordered-signatures": [
      "Signatures in another order",
      "An additional signature of the newest header comes before those of authorities with lower numbers.",
      withHead(({ signatures }) => ({
        signatures: [{ authority: 0xffff, signature: Buffer.alloc(64, 7) }, ...signatures],
      })),
    ],
  }),
  ...refused("untrusted", "wrong_chain", to, {
    "another-chain": [
      "Another chain",
      "The newest header claims to belong to a chain with another configuration.",
      withHead(({ chain }) => ({ chain: flipped(chain) })),
    ],
  }),
  ...refused("untrusted", "wrong_schemes", to, {
    "no-roots": [
      "A head without a state",
      "The state roots in the newest header are missing.",
      withHead(() => ({ roots: [] })),
    ],
  }),
  ...refused("malformed", "invalid_header", to, {
    "unknown-header-version": [
      "A header of another version",
      "The newest header has a version that does not exist.",
      withHead(() => ({ version: 2 })),
    ],
  }),
  ...refused("malformed", "invalid_encoding", to, {
    "truncated-header": [
      "Half of a header",
      "The second half of the newest header is missing.",
      withHeadBytes(firstHalf),
    ],
  }),
  ...refused("malformed", "trailing_bytes", to, {
    "extended-header": [
      "A header with a byte after it",
      "A byte is added to the end of the newest header.",
      withHeadBytes(withByteAfter),
    ],
  }),
];

/** Sends a changed newest header wherever it is requested. */
function withHead(change) {
  return withForged((header) => forge(header, change));
}

function withHeadBytes(change) {
  return withForged((header) => ({
    ...header,
    signedHeader: toHex(change(fromHex(header.signedHeader))),
  }));
}

function withForged(change) {
  return async ({ method, params, honest, node }) => {
    if (method === "prooflight_prove" && honest && (params.at ?? "latest") === "latest") {
      return { ...honest, header: change(honest.header) };
    }
    if (["prooflight_history", "prooflight_diff"].includes(method) && honest) {
      return { ...honest, head: change(honest.head) };
    }
    if (method !== "prooflight_headerProof") return undefined;
    // The node does not know a head by its forged hash.
    const proof = honest ?? (await node(method, { ...params, head: "latest" }));
    return { ...proof, head: change(proof.head) };
  };
}
