// Lies about time: old answers instead of new ones, other blocks than requested, wrong histories.

import { flipped, forge, fromHex, readHeader, toHex } from "../header.mjs";
import { inResultOf, quantity, refused } from "./lie.mjs";

const AGO = 3n;
const OLDER = ["get at height", "get at hash", "get by smt at height"];

/** @type {import("./index.mjs").Lie[]} */
export const history = [
  ...refused("untrusted", "head_behind", ["get", "get many", "get by smt"], {
    "stale-value": [
      "An old value",
      "The client asks for the newest value; the answer is true, but three blocks old.",
      async ({ method, params, node }) => {
        if (method !== "prooflight_prove" || !isLatest(params.at)) return undefined;
        return node(method, { ...params, at: await ago(node, AGO) });
      },
    ],
  }),
  ...refused("untrusted", "head_behind", ["sync", "get", "get many"], {
    "old-head": [
      "A head behind the checkpoint",
      "The server pretends that the chain ends before a block that the client already knows.",
      async ({ method, params, node }) => {
        if (method === "prooflight_prove" && isLatest(params.at)) {
          return node(method, { ...params, at: await ago(node, AGO) });
        }
        if (method !== "prooflight_headerProof" || !isLatest(params.head)) return undefined;
        const known = BigInt(params.at);
        if (known === 0n) return undefined;
        const head = quantity(known - 1n);
        return node(method, { at: head, head });
      },
    ],
  }),
  ...refused("mismatch", "root_mismatch", ["get", "get at hash", "get many", "get by smt"], {
    "stale-proof": [
      "An old proof under a new header",
      "The header is right, but the proof is for an older state.",
      async ({ method, params, honest, node }) => {
        // For lvmt, some old proofs do not have the form that the newer state requires: see `lvmt.mjs`.
        if (method !== "prooflight_prove" || params.scheme === "lvmt" || !honest) return undefined;
        const older = await otherState(node, honest.header);
        const { proof } = await node(method, { ...params, at: older });
        return { ...honest, proof };
      },
    ],
  }),
  ...refused("untrusted", "too_few_signatures", ["get", "get many"], {
    "relabelled-header": [
      "An old answer under a new height",
      "The header and the proof are three blocks old; the header's height is changed to the newest.",
      async ({ method, params, honest, node }) => {
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
    ],
  }),
  ...refused("mismatch", "wrong_block", OLDER, {
    "another-block": [
      "Another block than requested",
      "The answer is about the block before the requested one.",
      async ({ method, params, honest, node }) => {
        if (method !== "prooflight_prove" || isLatest(params.at) || !honest) return undefined;
        return node(method, { ...params, at: honest.header.parent });
      },
    ],
  }),
  ...refused("untrusted", "not_an_ancestor", ["get at height", "get by smt at height", "blocks"], {
    "forged-ancestor": [
      "An older header with another state",
      "The state root in an older header is replaced; older headers need no signatures.",
      async ({ method, params, honest }) => {
        if (!honest || isLatest(params.at)) return undefined;
        if (method !== "prooflight_prove" && method !== "prooflight_block") return undefined;
        const change = ({ roots }) => ({
          roots: roots.map(({ scheme, root }) => ({ scheme, root: flipped(root) })),
        });
        return { ...honest, header: forge(honest.header, change) };
      },
    ],
  }),
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
  ...refused("unavailable", "invalid_reply", ["sync", "get at height"], {
    "huge-path": [
      "A path of a hundred thousand hashes",
      "The path has more hashes than any path in any history.",
      withPath(({ header }) => Array(100_000).fill(header.hash)),
    ],
  }),
  ...refused("malformed", "invalid_result", ["sync", "get at height"], {
    "too-long-path": [
      "A path of 65 hashes",
      "The path has one hash more than any path in a chain with 64-bit heights.",
      withPath(({ header }) => Array(65).fill(header.hash)),
    ],
  }),
  ...refused("untrusted", "not_extending", ["sync"], {
    "false-alarm": [
      "A false accusation",
      "The server shows a forged header at the height that the client knows, as if the authorities had signed two histories.",
      inResultOf("prooflight_headerProof")(({ params, honest }) =>
        isLatest(params.head) && honest.path.length > 0 ? forged(honest) : undefined,
      ),
    ],
  }),
  ...falseAlarmBelow("false-alarm-below", "a forged header for its place in any history", forged),
  ...falseAlarmBelow(
    "false-alarm-of-another-block",
    "a true header of another height in its place",
    ({ header, head }, node) =>
      node("prooflight_headerProof", { at: header.parent, head: head.hash }),
  ),
];

/** A header with other operations, and another path. */
function forged({ header, path, ...honest }) {
  return {
    ...honest,
    header: forge(header, ({ opsRoot }) => ({ opsRoot: flipped(opsRoot) })),
    path: path.map((hash) => toHex(flipped(fromHex(hash)))),
  };
}

/** A lie that shows a true, older head, and then something else in its place. */
function falseAlarmBelow(name, instead, change) {
  return refused("untrusted", "head_behind", ["get", "get many"], {
    [name]: [
      "A false accusation with an older head",
      `The server shows an old head that the authorities signed, and ${instead}, as if they had signed two histories.`,
      async ({ method, params, honest, node }) => {
        if (method === "prooflight_prove" && isLatest(params.at)) {
          return node(method, { ...params, at: await ago(node, AGO) });
        }
        if (method !== "prooflight_headerProof" || isLatest(params.head) || !honest) {
          return undefined;
        }
        return change(honest, node);
      },
    ],
  });
}

/** Replaces the path in a head's history, if there is another one. */
function withPath(change, isMeant = () => true) {
  return inResultOf("prooflight_headerProof")(async ({ params, honest, node }) => {
    const path = isMeant(params) ? await change(honest, node) : undefined;
    return path && { ...honest, path };
  });
}

/** Two lies about paths in a head's history: of the block that the client knows, and of older blocks. */
function paths(name, title, explanation, change) {
  return [
    ...refused("untrusted", "not_extending", ["sync"], {
      [name]: [title, explanation, withPath(change, ({ head }) => isLatest(head))],
    }),
    ...refused("untrusted", "not_an_ancestor", ["get at height", "get at hash", "blocks"], {
      [`${name}-of-ancestor`]: [
        `${title}, to an older block`,
        explanation,
        withPath(change, ({ head }) => !isLatest(head)),
      ],
    }),
  ];
}

const isLatest = (at) => at === undefined || at === "latest";

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
