// What the families of lies share.

import { fromHex, toHex } from "../header.mjs";

/**
 * Lies with one verdict of the light client: by name, each one's title, explanation, and the member that tells it.
 *
 * @param {"result" | "text" | "respond"} member
 * @returns {(code: string, reason: string, to: import("./index.mjs").Question[],
 *   rows: Record<string, [title: string, explanation: string, tell: Function]>) => import("./index.mjs").Lie[]}
 */
export const refusedBy = (member) => (code, reason, to, rows) =>
  Object.entries(rows).map(([name, [title, explanation, tell]]) => {
    return { name, title, explanation, code, reason, to, [member]: tell };
  });

/** Lies told by another result. */
export const refused = refusedBy("result");

/** Lies in the results of some methods, where the node has one. */
export const inResultOf =
  (...methods) =>
  (tell) =>
  async (call) =>
    methods.includes(call.method) && call.honest ? tell(call) : undefined;

/** Replaces the proof in the results of a method, if `isMeant` is true of its parameters; without other bytes there is no lie. */
export const inProofOf =
  (method, isMeant = () => true) =>
  (change) =>
    inResultOf(method)(async (call) => {
      if (!isMeant(call.params)) return undefined;
      const proof = await change(fromHex(call.honest.proof), call);
      return proof && { ...call.honest, proof: toHex(proof) };
    });

/** The same for the proof of one key by a scheme. */
export const inProofOfKey = (name) =>
  inProofOf("prooflight_prove", ({ scheme, keys }) => scheme === name && keys.length === 1);

/** The true proof of other keys at the same block. */
export async function proofOf(keys, { params, honest, node }) {
  const at = honest.header.hash;
  return fromHex((await node("prooflight_prove", { ...params, keys, at })).proof);
}

/** The first true proof of a single other key that is as wanted once it is read. */
export async function proofOfFirst(keys, call, read, isWanted) {
  for await (const key of keys) {
    if (key === call.params.keys[0]) continue;
    const proof = read(await proofOf([key], call), fromHex(key));
    if (proof && isWanted(proof, fromHex(key))) return proof;
  }
  return undefined;
}

export const quantity = (number) => `0x${number.toString(16)}`;

/** The height of the block before that of a header. */
export const heightBefore = ({ height }) => quantity(BigInt(height) - 1n);

export const withoutLastByte = (bytes) => bytes.subarray(0, -1);
export const withByteAfter = (bytes) => Buffer.concat([bytes, Buffer.of(0)]);
export const firstHalf = (bytes) => bytes.subarray(0, bytes.length / 2);

/** The bytes with another beginning, of the same length. */
export const beginningWith =
  (...start) =>
  (bytes) =>
    Buffer.concat([Buffer.of(...start), bytes.subarray(start.length)]);
