// Lies about heads: headers that the authorities did not sign, or not in this form.

import { flipped, forge, fromHex, readHeader, toHex } from "../header.mjs";

const unsigned = { code: "untrusted", reason: "too_few_signatures" };
const disorder = { code: "malformed", reason: "signature_order" };
const to = ["sync", "get", "history", "diff"];

/** @type {import("./index.mjs").Lie[]} */
export const heads = [
  {
    name: "changed-state-root",
    title: "A head with another state",
    explanation: "The state root in the newest header is replaced; the signature is unchanged.",
    ...unsigned,
    to,
    result: withHead(({ roots }) => ({
      roots: roots.map(({ scheme, root }) => ({ scheme, root: flipped(root) })),
    })),
  },
  {
    name: "changed-timestamp",
    title: "A head that looks newer",
    explanation: "The newest header claims to be a second newer than it is.",
    ...unsigned,
    to,
    result: withHead(({ timestampMs }) => ({ timestampMs: timestampMs + 1000n })),
  },
  {
    name: "higher-head",
    title: "A head that does not exist",
    explanation: "The newest header claims to be ten blocks higher than it is.",
    ...unsigned,
    to,
    result: withHead(({ height }) => ({ height: height + 10n })),
  },
  {
    name: "changed-history",
    title: "A head with another history",
    explanation: "The history root in the newest header is replaced.",
    ...unsigned,
    to,
    result: withHead(({ historyRoot }) => ({ historyRoot: flipped(historyRoot) })),
  },
  {
    name: "no-signatures",
    title: "A head that nobody signed",
    explanation: "The signatures of the newest header are missing.",
    ...unsigned,
    to,
    result: withHead(() => ({ signatures: [] })),
  },
  {
    name: "changed-signature",
    title: "A wrong signature",
    explanation: "One bit of each signature of the newest header is flipped.",
    ...unsigned,
    to,
    result: withHead(({ signatures }) => ({
      signatures: signatures.map(({ authority, signature }) => ({
        authority,
        signature: flipped(signature, 40),
      })),
    })),
  },
  {
    name: "borrowed-signatures",
    title: "Signatures of another block",
    explanation: "The newest header carries the signatures of the previous block.",
    ...unsigned,
    to,
    result: async (call) => {
      const latest = await call.node("prooflight_head", {});
      const before = await call.node("prooflight_header", { at: latest.parent });
      const { signatures } = readHeader(fromHex(before.signedHeader));
      return withHead(() => ({ signatures }))(call);
    },
  },
  {
    name: "duplicate-signatures",
    title: "One signature counted twice",
    explanation: "Each signature of the newest header occurs twice.",
    ...disorder,
    to,
    result: withHead(({ signatures }) => ({
      signatures: signatures.flatMap((signature) => [signature, signature]),
    })),
  },
  {
    name: "stranger-signature",
    title: "A signature of a stranger",
    explanation:
      "The newest header has an additional signature by an authority that the chain does not have.",
    ...disorder,
    to,
    result: withHead(({ signatures }) => ({
      signatures: [...signatures, { authority: 0xffff, signature: Buffer.alloc(64, 7) }],
    })),
  },
  {
    name: "reordered-signatures",
    title: "Signatures in another order",
    explanation:
      "An additional signature of the newest header comes before those of authorities with lower numbers.",
    ...disorder,
    to,
    result: withHead(({ signatures }) => ({
      signatures: [{ authority: 0xffff, signature: Buffer.alloc(64, 7) }, ...signatures],
    })),
  },
  {
    name: "another-chain",
    title: "Another chain",
    explanation: "The newest header claims to belong to a chain with another configuration.",
    code: "untrusted",
    reason: "wrong_chain",
    to,
    result: withHead(({ chain }) => ({ chain: flipped(chain) })),
  },
  {
    name: "no-roots",
    title: "A head without a state",
    explanation: "The state roots in the newest header are missing.",
    code: "untrusted",
    reason: "wrong_schemes",
    to,
    result: withHead(() => ({ roots: [] })),
  },
  {
    name: "unknown-header-version",
    title: "A header of another version",
    explanation: "The newest header has a version that does not exist.",
    code: "malformed",
    reason: "invalid_header",
    to,
    result: withHead(() => ({ version: 2 })),
  },
  {
    name: "truncated-header",
    title: "Half of a header",
    explanation: "The second half of the newest header is missing.",
    code: "malformed",
    reason: "invalid_encoding",
    to,
    result: withHeadBytes((bytes) => bytes.subarray(0, bytes.length / 2)),
  },
  {
    name: "extended-header",
    title: "A header with a byte after it",
    explanation: "A byte is added to the end of the newest header.",
    code: "malformed",
    reason: "trailing_bytes",
    to,
    result: withHeadBytes((bytes) => Buffer.concat([bytes, Buffer.of(0)])),
  },
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
