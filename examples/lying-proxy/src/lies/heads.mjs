// Lies about heads: headers that the authorities did not sign, or not so.

import { flipped, forge, fromHex, readHeader, toHex } from "../header.mjs";

const unsigned = { code: "untrusted", reason: "too_few_signatures" };
const disorder = { code: "malformed", reason: "signature_order" };
const to = ["sync", "get", "history", "diff"];

/** @type {import("./index.mjs").Lie[]} */
export const heads = [
  {
    name: "changed-state-root",
    title: "A head with another state",
    explanation:
      "The root of the state in the newest header is exchanged; its signature is left as it was.",
    ...unsigned,
    to,
    result: withHead(({ roots }) => ({
      roots: roots.map(({ scheme, root }) => ({ scheme, root: flipped(root) })),
    })),
  },
  {
    name: "changed-timestamp",
    title: "A head that looks newer",
    explanation: "The newest header says that it was made a second later than it was.",
    ...unsigned,
    to,
    result: withHead(({ timestampMs }) => ({ timestampMs: timestampMs + 1000n })),
  },
  {
    name: "higher-head",
    title: "A head that does not exist",
    explanation: "The newest header says that it is ten blocks higher than it is.",
    ...unsigned,
    to,
    result: withHead(({ height }) => ({ height: height + 10n })),
  },
  {
    name: "changed-history",
    title: "A head with another history",
    explanation: "The root of the history in the newest header is exchanged.",
    ...unsigned,
    to,
    result: withHead(({ historyRoot }) => ({ historyRoot: flipped(historyRoot) })),
  },
  {
    name: "no-signatures",
    title: "A head that nobody signed",
    explanation: "The signatures of the newest header are left out.",
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
    explanation: "The newest header carries the signatures of the block before it.",
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
    explanation: "Each signature of the newest header is there twice.",
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
      "The newest header carries a further signature, of an authority that the chain does not have.",
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
      "A further signature of the newest header stands before those of smaller authorities.",
    ...disorder,
    to,
    result: withHead(({ signatures }) => ({
      signatures: [{ authority: 0xffff, signature: Buffer.alloc(64, 7) }, ...signatures],
    })),
  },
  {
    name: "another-chain",
    title: "Another chain",
    explanation: "The newest header says that it is of a chain with another configuration.",
    code: "untrusted",
    reason: "wrong_chain",
    to,
    result: withHead(({ chain }) => ({ chain: flipped(chain) })),
  },
  {
    name: "no-roots",
    title: "A head without a state",
    explanation: "The roots of the state in the newest header are left out.",
    code: "untrusted",
    reason: "wrong_schemes",
    to,
    result: withHead(() => ({ roots: [] })),
  },
  {
    name: "unknown-header-version",
    title: "A header of another version",
    explanation: "The newest header says that it has a version that does not exist.",
    code: "malformed",
    reason: "invalid_header",
    to,
    result: withHead(() => ({ version: 2 })),
  },
  {
    name: "truncated-header",
    title: "Half of a header",
    explanation: "The second half of the newest header is left out.",
    code: "malformed",
    reason: "invalid_encoding",
    to,
    result: withHeadBytes((bytes) => bytes.subarray(0, bytes.length / 2)),
  },
  {
    name: "extended-header",
    title: "A header with something behind it",
    explanation: "A byte is added to the end of the newest header.",
    code: "malformed",
    reason: "trailing_bytes",
    to,
    result: withHeadBytes((bytes) => Buffer.concat([bytes, Buffer.of(0)])),
  },
];

/** Tells a newest header that is changed, wherever it is asked for. */
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
    // A head that is asked for by its forged hash is one that the node does not know.
    const proof = honest ?? (await node(method, { ...params, head: "latest" }));
    return { ...proof, head: change(proof.head) };
  };
}
