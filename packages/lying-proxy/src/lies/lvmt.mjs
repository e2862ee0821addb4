// Lies about the value of one key, told with proofs of the scheme `lvmt`: the header is right, the proof is not.

import { keccak_256 } from "@noble/hashes/sha3.js";

import { fromHex, readHeader, toHex } from "../header.mjs";
import { readProof, versionIn, writeProof } from "../lvmt.mjs";
import { leafOf, readKeyProof } from "../smt.mjs";
import { absentKeys, otherValue, presentKeys } from "./keys.mjs";

const LVMT = 2;
/** With lvmt, the node proves only the newest state. */
const to = ["get by lvmt"];
const otherRoot = { code: "mismatch", reason: "root_mismatch", to };
const notOpened = { code: "mismatch", reason: "opening_mismatch", to };

/** @type {import("./index.mjs").Lie[]} */
export const lvmt = [
  {
    name: "lvmt-changed-value",
    title: "Another value, by lvmt",
    explanation: "The value in the proof is replaced by another one.",
    ...otherRoot,
    result: withClaim(({ value, ...claim }) => value && { ...claim, value: otherValue(value) }),
  },
  {
    name: "lvmt-said-deleted",
    title: "A present key is said to be deleted, by lvmt",
    explanation: "Instead of the value, the proof says that the key was deleted in the same block.",
    ...otherRoot,
    result: withClaim(
      ({ kind, slot, place }) => kind === "present" && { kind: "deleted", slot, place },
    ),
  },
  {
    name: "lvmt-stale-value",
    title: "An old value, by lvmt",
    explanation: "The answer is the value before the newest one, with its old version.",
    ...otherRoot,
    result: withProof(async (proof, call) => {
      const [claim] = proof.claims;
      const value = await valueBefore(claim, call);
      if (!value) return undefined;
      const entries = proof.entries.with(-1, withVersionBefore(proof.entries.at(-1), claim.slot));
      return { ...proof, entries, claims: [{ ...claim, value }] };
    }),
  },
  {
    name: "lvmt-hidden-key",
    title: "A present key is said to be absent, by lvmt",
    explanation:
      "The proof says that the key was never written, and does not show the owner of its slot.",
    code: "mismatch",
    reason: "owner_count",
    to,
    result: withClaim(({ kind }) => kind === "present" && { kind: "never written" }),
  },
  {
    name: "lvmt-hidden-by-itself",
    title: "A key whose slot is taken by itself",
    explanation: "The key seems absent, since its slot is taken, but by the key itself.",
    code: "mismatch",
    reason: "owner_requested",
    to,
    result: withOwner((key) => Buffer.from(keccak_256(key))),
  },
  {
    name: "lvmt-hidden-by-a-stranger",
    title: "A key whose slot is said to be another's",
    explanation:
      "The key seems absent, since its slot is taken, but by a key that does not belong there.",
    code: "mismatch",
    reason: "owner_elsewhere",
    to,
    result: withOwner((key) => Buffer.from(keccak_256(key)).map((byte) => byte ^ 0xff)),
  },
  {
    name: "lvmt-another-slot",
    title: "A key in a slot that is free",
    explanation: "The key claims the last slot of its entry, which was never written.",
    code: "mismatch",
    reason: "slot_free",
    to,
    result: withProof((proof) => {
      const [claim] = proof.claims;
      if (!claim.slot || !isFree(proof.entries.at(-1), 5)) return undefined;
      return { ...proof, claims: [{ ...claim, slot: { ...claim.slot, number: 5 } }] };
    }),
  },
  {
    name: "lvmt-no-such-slot",
    title: "A key in a slot that does not exist",
    explanation: "The key claims slot 6 of its entry.",
    code: "malformed",
    reason: "invalid_slot",
    to,
    result: withClaim((claim) => claim.slot && { ...claim, slot: { ...claim.slot, number: 6 } }),
  },
  {
    name: "lvmt-another-keys-proof",
    title: "Another key's value, by lvmt",
    explanation: "The proof is true, but for another key that has a value.",
    ...otherRoot,
    result: withProof(async (_, call) => {
      for await (const proof of proofsOf(presentKeys(call.node, call.honest.header.hash), call)) {
        if (proof.claims[0].kind === "present" && proof.amts.length === 0) return proof;
      }
      return undefined;
    }),
  },
  {
    name: "lvmt-another-keys-absence",
    title: "Another key's absence, by lvmt",
    explanation:
      "The proof is true, but shows that another key was never written, since its entry is empty.",
    ...notOpened,
    result: withProof(async (_, call) => {
      for await (const proof of proofsOf(absentKeys(), call)) {
        if (proof.owners.length === 0) return proof;
      }
      return undefined;
    }),
  },
  {
    name: "lvmt-changed-opening",
    title: "Another opening",
    explanation: "The first point of the opening is replaced by the state's commitment.",
    ...notOpened,
    result: withProof(({ points: [, ...points], ...proof }, { commitment }) => ({
      ...proof,
      points: [commitment, ...points],
    })),
  },
  {
    name: "lvmt-no-point",
    title: "An invalid point",
    explanation: "The first point of the opening is replaced by 32 bytes ff.",
    code: "malformed",
    reason: "invalid_point",
    to,
    result: withProof(({ points: [, ...points], ...proof }) => ({
      ...proof,
      points: [Buffer.alloc(32, 0xff), ...points],
    })),
  },
  {
    name: "lvmt-no-opening",
    title: "A proof without its opening",
    explanation: "The points are missing, so that nothing binds the versions to the state.",
    code: "malformed",
    reason: "opening_length",
    to,
    result: withProof((proof) => ({ ...proof, points: [] })),
  },
  {
    name: "lvmt-left-out-entry",
    title: "A proof without versions",
    explanation: "The entry with the key's version is missing.",
    code: "mismatch",
    reason: "entry_count",
    to,
    result: withProof((proof) => ({ ...proof, entries: proof.entries.slice(0, -1) })),
  },
  {
    name: "lvmt-more-than-asked",
    title: "More than requested, by lvmt",
    explanation: "The proof shows the requested key and another one.",
    code: "mismatch",
    reason: "claim_count",
    to,
    result: withBytes(async (_, { node, params, honest }) => {
      const [more] = absentKeys();
      const at = honest.header.hash;
      const { proof } = await node("prooflight_prove", {
        ...params,
        keys: [...params.keys, more],
        at,
      });
      return fromHex(proof);
    }),
  },
  {
    name: "lvmt-truncated-proof",
    title: "A truncated proof of lvmt",
    explanation: "The last byte of the proof is missing.",
    code: "malformed",
    reason: "invalid_encoding",
    to,
    result: withBytes((bytes) => bytes.subarray(0, -1)),
  },
  {
    name: "lvmt-extended-proof",
    title: "A proof of lvmt with a byte after it",
    explanation: "A byte is added to the end of the proof.",
    code: "malformed",
    reason: "trailing_bytes",
    to,
    result: withBytes((bytes) => Buffer.concat([bytes, Buffer.of(0)])),
  },
];

/** Sends other bytes as the proof about the one requested key. */
function withBytes(change) {
  return async ({ method, params, honest, node }) => {
    if (method !== "prooflight_prove" || params.scheme !== "lvmt" || !honest) return undefined;
    if (params.keys.length !== 1) return undefined;
    const { roots, height } = readHeader(fromHex(honest.header.signedHeader));
    const { root } = roots.find(({ scheme }) => scheme === LVMT);
    const commitment = root.subarray(0, 32);
    const call = { params, honest, node, block: Number(height), commitment };
    const proof = await change(fromHex(honest.proof), call);
    return proof && { ...honest, proof: toHex(proof) };
  };
}

function withProof(change) {
  return withBytes(async (bytes, call) => {
    const changed = await change(readProof(bytes), call);
    return changed && writeProof(changed);
  });
}

function withClaim(change) {
  return withProof((proof) => {
    const claim = change(proof.claims[0]);
    return claim && { ...proof, claims: [claim] };
  });
}

/** Claims that the key was never written, with a leaf for the owner of its slot. */
function withOwner(keyHashOf) {
  return withProof((proof, { params }) => {
    const [{ kind, slot, place, value }] = proof.claims;
    if (kind !== "present") return undefined;
    const owner = {
      keyHash: keyHashOf(fromHex(params.keys[0])),
      version: versionIn(proof.entries.at(-1), slot),
      valueHash: Buffer.from(keccak_256(value)),
      place,
    };
    return { ...proof, claims: [{ kind: "never written" }], owners: [owner] };
  });
}

/** The value of the key before its newest one, taken from the scheme `smt`. */
async function valueBefore({ kind, place }, { params, node }) {
  if (kind !== "present" || place.block === 0n) return undefined;
  const block = place.block - 1n;
  const { proof } = await node("prooflight_prove", {
    ...{ scheme: "smt", keys: params.keys },
    at: `0x${block.toString(16)}`,
  });
  const root = readKeyProof(fromHex(proof), fromHex(params.keys[0]), Number(block));
  return root && leafOf(root).value;
}

/** An entry with a slot's version one less. */
function withVersionBefore(entry, { number }) {
  const copy = Buffer.from(entry);
  copy.writeUIntLE(copy.readUIntLE(5 * number, 5) - 1, 5 * number, 5);
  return copy;
}

/** The true proofs of other keys. */
async function* proofsOf(keys, { params, honest, node }) {
  for await (const key of keys) {
    if (key === params.keys[0]) continue;
    const at = honest.header.hash;
    const { proof } = await node("prooflight_prove", { ...params, keys: [key], at });
    yield readProof(fromHex(proof));
  }
}

const isFree = (entry, number) => versionIn(entry, { number }).every((byte) => byte === 0);
