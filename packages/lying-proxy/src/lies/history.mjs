// Lies about time: old answers instead of new ones, other blocks than requested, wrong histories.

import { flipped, forge, fromHex, readHeader, toHex } from "../header.mjs";

const AGO = 3n;
const OLDER = ["get at height", "get at hash", "get by smt at height"];

/** @type {import("./index.mjs").Lie[]} */
export const history = [
  {
    name: "stale-value",
    title: "An old value",
    explanation: "The client asks for the newest value; the answer is true, but three blocks old.",
    code: "untrusted",
    reason: "head_behind",
    to: ["get", "get many", "get by smt"],
    result: async ({ method, params, node }) => {
      if (method !== "prooflight_prove" || !isLatest(params.at)) return undefined;
      return node(method, { ...params, at: await ago(node, AGO) });
    },
  },
  {
    name: "old-head",
    title: "A head behind the checkpoint",
    explanation:
      "The server pretends that the chain ends before a block that the client already knows.",
    code: "untrusted",
    reason: "head_behind",
    to: ["sync", "get", "get many"],
    result: async ({ method, params, node }) => {
      if (method === "prooflight_prove" && isLatest(params.at)) {
        return node(method, { ...params, at: await ago(node, AGO) });
      }
      if (method !== "prooflight_headerProof" || !isLatest(params.head)) return undefined;
      const known = BigInt(params.at);
      if (known === 0n) return undefined;
      const head = quantity(known - 1n);
      return node(method, { at: head, head });
    },
  },
  {
    name: "stale-proof",
    title: "An old proof under a new header",
    explanation: "The header is right, but the proof is for an older state.",
    code: "mismatch",
    reason: "root_mismatch",
    to: ["get", "get at hash", "get many", "get by smt"],
    result: async ({ method, params, honest, node }) => {
      // For lvmt, some old proofs do not have the form that the newer state requires: see `lvmt.mjs`.
      if (method !== "prooflight_prove" || params.scheme === "lvmt" || !honest) return undefined;
      const older = await otherState(node, honest.header);
      const { proof } = await node(method, { ...params, at: older });
      return { ...honest, proof };
    },
  },
  {
    name: "relabelled-header",
    title: "An old answer under a new height",
    explanation:
      "The header and the proof are three blocks old; the header's height is changed to the newest.",
    code: "untrusted",
    reason: "too_few_signatures",
    to: ["get", "get many"],
    result: async ({ method, params, honest, node }) => {
      const latest = await node("prooflight_head", {});
      const relabelled = (header) => forge(header, () => ({ height: BigInt(latest.height) }));
      if (method === "prooflight_prove" && isLatest(params.at)) {
        const old = await node(method, { ...params, at: await ago(node, AGO) });
        return { ...old, header: relabelled(old.header) };
      }
      // The client asks for the place of the forged header, which the node does not know.
      if (method !== "prooflight_headerProof" || honest) return undefined;
      return node(method, { ...params, head: "latest" });
    },
  },
  {
    name: "another-block",
    title: "Another block than requested",
    explanation: "The answer is about the block before the requested one.",
    code: "mismatch",
    reason: "wrong_block",
    to: OLDER,
    result: async ({ method, params, honest, node }) => {
      if (method !== "prooflight_prove" || isLatest(params.at) || !honest) return undefined;
      return node(method, { ...params, at: honest.header.parent });
    },
  },
  {
    name: "forged-ancestor",
    title: "An older header with another state",
    explanation: "The state root in an older header is replaced; older headers need no signatures.",
    code: "untrusted",
    reason: "not_an_ancestor",
    to: ["get at height", "get by smt at height", "blocks"],
    result: async ({ method, params, honest }) => {
      if (!honest || isLatest(params.at)) return undefined;
      if (method !== "prooflight_prove" && method !== "prooflight_block") return undefined;
      const change = ({ roots }) => ({
        roots: roots.map(({ scheme, root }) => ({ scheme, root: flipped(root) })),
      });
      return { ...honest, header: forge(honest.header, change) };
    },
  },
  ...paths(
    "wrong-path",
    "A wrong path in the head's history",
    "One bit of each hash in the path is flipped.",
    ({ path }) => (path.length > 0 ? path.map((hash) => toHex(flipped(fromHex(hash)))) : undefined),
  ),
  ...paths(
    "short-path",
    "A path that is too short",
    "The last hash of the path is missing.",
    ({ path }) => (path.length > 0 ? path.slice(0, -1) : undefined),
  ),
  ...paths(
    "long-path",
    "A path that is too long",
    "A hash is added to the end of the path.",
    ({ path }) => [...path, toHex(Buffer.alloc(32))],
  ),
  ...paths(
    "path-of-another-block",
    "The path of another block",
    "The path is true, but that of the next block in the same history.",
    async ({ header, head }, node) => {
      const at = quantity(BigInt(header.height) + 1n);
      const { path } = await node("prooflight_headerProof", { at, head: head.hash });
      return path;
    },
  ),
  ...paths(
    "path-in-another-history",
    "A path in another head's history",
    "The path is true, but in the history of the block before the head.",
    async ({ header, head }, node) => {
      const at = header.height;
      const { path } = await node("prooflight_headerProof", { at, head: head.parent });
      return path;
    },
  ),
  {
    name: "huge-path",
    title: "A path of a hundred thousand hashes",
    explanation: "The path has more hashes than any path in any history.",
    code: "unavailable",
    reason: "invalid_reply",
    to: ["sync", "get at height"],
    result: async ({ method, honest }) => {
      if (method !== "prooflight_headerProof" || !honest) return undefined;
      return { ...honest, path: Array(100_000).fill(honest.header.hash) };
    },
  },
  {
    name: "too-long-path",
    title: "A path of 65 hashes",
    explanation: "The path has one hash more than any path in a chain with 64-bit heights.",
    code: "malformed",
    reason: "invalid_result",
    to: ["sync", "get at height"],
    result: async ({ method, honest }) => {
      if (method !== "prooflight_headerProof" || !honest) return undefined;
      return { ...honest, path: Array(65).fill(honest.header.hash) };
    },
  },
  {
    name: "false-alarm",
    title: "A false accusation",
    explanation:
      "The server shows a forged header at the height that the client knows, as if the authorities had signed two histories.",
    code: "untrusted",
    reason: "not_extending",
    to: ["sync"],
    result: async ({ method, params, honest }) => {
      if (method !== "prooflight_headerProof" || !isLatest(params.head) || !honest)
        return undefined;
      if (honest.path.length === 0) return undefined;
      const header = forge(honest.header, ({ opsRoot }) => ({ opsRoot: flipped(opsRoot) }));
      const path = honest.path.map((hash) => toHex(flipped(fromHex(hash))));
      return { ...honest, header, path };
    },
  },
  falseAlarmBelow("false-alarm-below", "a forged header for its place in any history", {
    change: ({ header, path, ...honest }) => ({
      ...honest,
      header: forge(header, ({ opsRoot }) => ({ opsRoot: flipped(opsRoot) })),
      path: path.map((hash) => toHex(flipped(fromHex(hash)))),
    }),
  }),
  falseAlarmBelow("false-alarm-of-another-block", "a true header of another height in its place", {
    change: ({ header, head }, node) =>
      node("prooflight_headerProof", { at: header.parent, head: head.hash }),
  }),
];

/** A lie that shows a true, older head, and then something else in its place. */
function falseAlarmBelow(name, instead, { change }) {
  return {
    name,
    title: "A false accusation with an older head",
    explanation: `The server shows an old head that the authorities signed, and ${instead}, as if they had signed two histories.`,
    code: "untrusted",
    reason: "head_behind",
    to: ["get", "get many"],
    result: async ({ method, params, honest, node }) => {
      if (method === "prooflight_prove" && isLatest(params.at)) {
        return node(method, { ...params, at: await ago(node, AGO) });
      }
      if (method !== "prooflight_headerProof" || isLatest(params.head) || !honest) return undefined;
      return change(honest, node);
    },
  };
}

/** Two lies about paths in a head's history: of the block that the client knows, and of older blocks. */
function paths(name, title, explanation, change) {
  const lie = async ({ honest, node }) => {
    const path = await change(honest, node);
    return path && { ...honest, path };
  };
  const isPath = ({ method, honest }) => method === "prooflight_headerProof" && honest;
  return [
    {
      name,
      title,
      explanation,
      code: "untrusted",
      reason: "not_extending",
      to: ["sync"],
      result: async (call) => (isPath(call) && isLatest(call.params.head) ? lie(call) : undefined),
    },
    {
      name: `${name}-of-ancestor`,
      title: `${title}, to an older block`,
      explanation,
      code: "untrusted",
      reason: "not_an_ancestor",
      to: ["get at height", "get at hash", "blocks"],
      result: async (call) => (isPath(call) && !isLatest(call.params.head) ? lie(call) : undefined),
    },
  ];
}

const isLatest = (at) => at === undefined || at === "latest";

const quantity = (number) => `0x${number.toString(16)}`;

/** The height that many blocks below the newest, or that of the first block. */
async function ago(node, blocks) {
  const height = BigInt((await node("prooflight_head", {})).height);
  return quantity(height > blocks ? height - blocks : 0n);
}

/** The hash of the newest earlier block with another state. */
async function otherState(node, header) {
  const root = ({ signedHeader }) => toHex(readHeader(fromHex(signedHeader)).roots[0].root);
  let older = header;
  do {
    older = await node("prooflight_header", { at: older.parent });
  } while (root(older) === root(header));
  return older.hash;
}
