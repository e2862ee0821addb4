// Lies about the value of one key, told with proofs of the scheme `lvmt`: the header is right, the proof is not.

import { keccak_256 } from "@noble/hashes/sha3.js";

import { fromHex, readHeader } from "../header.mjs";
import { readProof, versionIn, writeProof } from "../lvmt.mjs";
import { leafOf, readKeyProof } from "../smt.mjs";
import { absentKeys, otherValue, presentKeys } from "./keys.mjs";
import {
  inProofOfKey,
  proofOf,
  proofOfFirst,
  quantity,
  refused,
  withByteAfter,
  withoutLastByte,
} from "./lie.mjs";

const inProof = inProofOfKey("lvmt");

/** With lvmt, the node proves only the newest state. */
const to = ["get by lvmt"];

/** @type {import("./index.mjs").Lie[]} */
export const lvmt = [
  ...refused("mismatch", "root_mismatch", to, {
    "lvmt-changed-value": [
      "Another value, by lvmt",
      "The value in the proof is replaced by another one.",
      withClaim(({ value, ...claim }) => value && { ...claim, value: otherValue(value) }),
    ],
    "lvmt-said-deleted": [
      "A present key is said to be deleted, by lvmt",
      "Instead of the value, the proof says that the key was deleted in the same block.",
      withClaim(({ kind, slot, place }) => kind === "present" && { kind: "deleted", slot, place }),
    ],
    "lvmt-stale-value": [
      "An old value, by lvmt",
      "The answer is the value before the newest one, with its old version.",
      withProof(async (proof, call) => {
        const [claim] = proof.claims;
        const value = await valueBefore(claim, call);
        if (!value) return undefined;
        const entries = proof.entries.with(-1, withVersionBefore(proof.entries.at(-1), claim.slot));
        return { ...proof, entries, claims: [{ ...claim, value }] };
      }),
    ],
    "lvmt-another-keys-proof": [
      "Another key's value, by lvmt",
      "The proof is true, but for another key that has a value.",
      withProof((_, call) => {
        const keys = presentKeys(call.node, call.honest.header.hash);
        const isWanted = ({ claims, amts }) => claims[0].kind === "present" && amts.length === 0;
        return proofOfFirst(keys, call, readProof, isWanted);
      }),
    ],
  }),
  ...refused("mismatch", "owner_count", to, {
    "lvmt-hidden-key": [
      "A present key is said to be absent, by lvmt",
      "The proof says that the key was never written, and does not show the owner of its slot.",
      withClaim(({ kind }) => kind === "present" && { kind: "never written" }),
    ],
  }),
  ...refused("mismatch", "owner_requested", to, {
    "lvmt-hidden-by-itself": [
      "A key whose slot is taken by itself",
      "The key seems absent, since its slot is taken, but by the key itself.",
      withOwner((key) => Buffer.from(keccak_256(key))),
    ],
  }),
  ...refused("mismatch", "owner_elsewhere", to, {
    "lvmt-hidden-by-a-stranger": [
      "A key whose slot is said to be another's",
      "The key seems absent, since its slot is taken, but by a key that does not belong there.",
      withOwner((key) => Buffer.from(keccak_256(key)).map((byte) => byte ^ 0xff)),
    ],
  }),
  ...refused("mismatch", "slot_free", to, {
    "lvmt-another-slot": [
      "A key in a slot that is free",
      "The key claims the last slot of its entry, which was never written.",
      withProof((proof) => {
        const [claim] = proof.claims;
        if (!claim.slot || !isFree(proof.entries.at(-1), 5)) return undefined;
        return { ...proof, claims: [{ ...claim, slot: { ...claim.slot, number: 5 } }] };
      }),
    ],
  }),
  ...refused("malformed", "invalid_slot", to, {
    "lvmt-no-such-slot": [
      "A key in a slot that does not exist",
      "The key claims slot 6 of its entry.",
      withClaim((claim) => claim.slot && { ...claim, slot: { ...claim.slot, number: 6 } }),
    ],
  }),
  ...refused("mismatch", "opening_mismatch", to, {
    "lvmt-another-keys-absence": [
      "Another key's absence, by lvmt",
      "The proof is true, but shows that another key was never written, since its entry is empty.",
      withProof((_, call) =>
        proofOfFirst(absentKeys(), call, readProof, ({ owners }) => owners.length === 0),
      ),
    ],
    "lvmt-changed-opening": [
      "Another opening",
      "The first point of the opening is replaced by the state's commitment.",
      withProof(({ points: [, ...points], ...proof }, { honest }) => ({
        ...proof,
        points: [commitmentIn(honest.header), ...points],
      })),
    ],
  }),
  ...refused("malformed", "invalid_point", to, {
    "lvmt-no-point": [
      "An invalid point",
      "The first point of the opening is replaced by 32 bytes ff.",
      withProof(({ points: [, ...points], ...proof }) => ({
        ...proof,
        points: [Buffer.alloc(32, 0xff), ...points],
      })),
    ],
  }),
  ...refused("malformed", "opening_length", to, {
    "lvmt-no-opening": [
      "A proof without its opening",
      "The points are missing, so that nothing binds the versions to the state.",
      withProof((proof) => ({ ...proof, points: [] })),
    ],
  }),
  ...refused("mismatch", "entry_count", to, {
    "lvmt-left-out-entry": [
      "A proof without versions",
      "The entry with the key's version is missing.",
      withProof((proof) => ({ ...proof, entries: proof.entries.slice(0, -1) })),
    ],
  }),
  ...refused("mismatch", "claim_count", to, {
    "lvmt-more-than-asked": [
      "More than requested, by lvmt",
      "The proof shows the requested key and another one.",
      inProof((_, call) => {
        const [more] = absentKeys();
        return proofOf([...call.params.keys, more], call);
      }),
    ],
  }),
  ...refused("malformed", "invalid_encoding", to, {
    "lvmt-truncated-proof": [
      "A truncated proof of lvmt",
      "The last byte of the proof is missing.",
      inProof(withoutLastByte),
    ],
  }),
  ...refused("malformed", "trailing_bytes", to, {
    "lvmt-extended-proof": [
      "A proof of lvmt with a byte after it",
      "A byte is added to the end of the proof.",
      inProof(withByteAfter),
    ],
  }),
];

function withProof(change) {
  return inProof(async (bytes, call) => {
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

/** The commitment in a header: the beginning of the root of `lvmt`, whose number is 2. */
function commitmentIn({ signedHeader }) {
  const { roots } = readHeader(fromHex(signedHeader));
  return roots.find(({ scheme }) => scheme === 2).root.subarray(0, 32);
}

/** The value of the key before its newest one, taken from the scheme `smt`. */
async function valueBefore({ kind, place }, { params, node }) {
  if (kind !== "present" || place.block === 0n) return undefined;
  const block = place.block - 1n;
  const { proof } = await node("prooflight_prove", {
    ...{ scheme: "smt", keys: params.keys },
    at: quantity(block),
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

const isFree = (entry, number) => versionIn(entry, { number }).every((byte) => byte === 0);
