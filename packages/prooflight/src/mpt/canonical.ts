/** The canonical answer to `eth_getProof`, made of what was verified. */

import { type Bytes, type Hex, toHex, toQuantity } from "../bytes.js";
import { Reader } from "../wire.js";
import type { ShownAccount } from "./packed.js";

/** The members of EIP-1186, in its order. */
export interface CanonicalAnswer {
  address: Hex;
  accountProof: string[];
  balance: string;
  codeHash: string;
  nonce: string;
  storageHash: string;
  storageProof: { key: string; value: string; proof: string[] }[];
}

/** A proven account, and the proofs of the canonical answer: the account's and each slot's. */
export interface ProvenAccount {
  shown: ShownAccount;
  proofs: () => string[][];
}

/**
 * The canonical answer about an account as shown, whose slots were asked for by these keys.
 */
export function canonicalAnswer(
  address: Hex,
  keys: readonly string[],
  { shown, proofs }: ProvenAccount,
): CanonicalAnswer {
  const { nonce, balance, codeHash, storageHash, storage } = shown;
  const [accountProof = [], ...slotProofs] = proofs();
  return {
    address,
    accountProof,
    balance: toQuantity(balance),
    codeHash: toHex(codeHash),
    nonce: toQuantity(nonce),
    storageHash: toHex(storageHash),
    storageProof: storage.map((value, index) => ({
      key: keys[index] ?? "0x0",
      value: toQuantity(value),
      proof: slotProofs[index] ?? [],
    })),
  };
}

/** Reads `Proofs`, each node in 0x-hex. */
export function readProofs(response: Bytes): string[][] {
  const reader = new Reader(response);
  return reader.sequence(() => reader.sequence(() => toHex(reader.bytes())));
}

/** The key of a requested slot as geth writes it back: 32 bytes if the request has as many, else a quantity. */
export function keyOfSlot(asked: unknown): Hex {
  const text = String(asked);
  const quantity = toQuantity(BigInt(text));
  // geth counts bytes: of 63 digits too.
  return text.length < 65 ? quantity : `0x${quantity.slice(2).padStart(64, "0")}`;
}
