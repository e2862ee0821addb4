/** Writes a server's answer to `eth_getProof` into the request while reading it. */

import { fromHex } from "../bytes.js";
import { describe, refuse, VerifyError } from "../error.js";
import { Writer } from "../wire.js";
import { wordOf } from "./bytes.js";

/** The members of EIP-1186 and no others, in its order; their values are not checked yet. */
export interface Answer {
  address: string;
  accountProof: string[];
  balance: string;
  codeHash: string;
  nonce: string;
  storageHash: string;
  storageProof: { key: string; value: string; proof: string[] }[];
}

/**
 * The number of nodes at which a proof is refused: one more than a key of 32 bytes can need, since every
 * node but the last consumes a nibble.
 */
const ENOUGH_NODES = 66;

/**
 * Copies an answer about `slots` slots, so that a second read sees the same values and unknown members are
 * never read. If a list is too long, it copies just enough of it to show that.
 *
 * Throws `invalid_answer` where it does not have the form of EIP-1186.
 */
export function copyAnswer(response: unknown, slots: number): Answer {
  return reading(() => {
    const given = members(response, "the answer");
    return {
      address: string(given["address"], "address"),
      accountProof: copyNodes(given["accountProof"], "accountProof"),
      balance: string(given["balance"], "balance"),
      codeHash: string(given["codeHash"], "codeHash"),
      nonce: string(given["nonce"], "nonce"),
      storageHash: string(given["storageHash"], "storageHash"),
      storageProof: copyStorage(given["storageProof"], slots),
    };
  });
}

function copyStorage(given: unknown, slots: number): Answer["storageProof"] {
  const proofs = list(given, "storageProof");
  const length = Math.min(lengthOf(proofs, "storageProof"), slots + 1);
  return Array.from({ length }, (_, index) => {
    const path = `storageProof[${index}]`;
    const { key, value, proof } = members(proofs[index], path);
    return {
      key: string(key, `${path}.key`),
      value: string(value, `${path}.value`),
      proof: copyNodes(proof, `${path}.proof`),
    };
  });
}

function copyNodes(given: unknown, path: string): string[] {
  const proof = list(given, path);
  const length = Math.min(lengthOf(proof, path), ENOUGH_NODES);
  return Array.from({ length }, (_, index) => string(proof[index], `${path}[${index}]`));
}

function string(given: unknown, path: string): string {
  if (typeof given === "string") return given;
  throw wrong(path, "0x-hex", describe(given));
}

/**
 * Writes the server's part of a `Question` about `slots` slots. Returns the total length of all nodes in
 * bytes.
 *
 * If a list is too long, it writes just enough of it to show that, and checks the form of the rest. Throws
 * `invalid_answer` unless the answer has the form of EIP-1186; other members are ignored.
 */
export function writeResponse(writer: Writer, response: unknown, slots: number): number {
  return reading(() => write(writer, response, slots));
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof VerifyError) throw cause;
    // JSON has no getters, but objects of a provider in the same program may run code when read.
    const found = "an object that cannot be read";
    throw refuse("invalid_answer", "plain data", found, { scheme: "mpt", cause });
  }
}

function write(writer: Writer, response: unknown, slots: number): number {
  const given = members(response, "the answer");
  hex(writer, given["address"], "address", 20);
  const nonce = word(given["nonce"], "nonce");
  if (!nonce.startsWith(`0x${"0".repeat(48)}`))
    throw wrong("nonce", "64 bits", String(given["nonce"]));
  writer.u64(BigInt(nonce));
  writer.hex(word(given["balance"], "balance"));
  hex(writer, given["storageHash"], "storageHash", 32);
  hex(writer, given["codeHash"], "codeHash", 32);
  let bytes = nodes(writer, given["accountProof"], "accountProof");
  const proofs = list(given["storageProof"], "storageProof");
  const count = lengthOf(proofs, "storageProof");
  const enough = Math.min(count, slots + 1);
  writer.u32(enough);
  for (let index = 0; index < enough; index++) {
    bytes += slot(writer, proofs[index], index);
  }
  // Later nodes overwrite each other.
  const scratch = new Writer();
  for (let index = enough; index < count; index++) {
    scratch.clear();
    bytes += slot(scratch, proofs[index], index);
  }
  return bytes;
}

function slot(writer: Writer, given: unknown, index: number): number {
  const path = `storageProof[${index}]`;
  const { key, value, proof } = members(given, path);
  writer.hex(word(key, `${path}.key`));
  writer.hex(word(value, `${path}.value`));
  return nodes(writer, proof, `${path}.proof`);
}

function nodes(writer: Writer, given: unknown, path: string): number {
  const proof = list(given, path);
  let bytes = 0;
  const count = lengthOf(proof, path);
  const enough = Math.min(count, ENOUGH_NODES);
  writer.u32(enough);
  for (let index = 0; index < enough; index++) {
    const node = proof[index];
    if (typeof node !== "string") throw wrong(`${path}[${index}]`, "0x-hex", describe(node));
    writer.u32(Math.max(0, (node.length >> 1) - 1));
    bytes += hex(writer, node, `${path}[${index}]`);
  }
  for (let index = enough; index < count; index++) bytes += lengthOfHex(proof[index], path, index);
  return bytes;
}

/** The bytes of a node that is not needed. */
function lengthOfHex(given: unknown, path: string, index: number): number {
  try {
    return fromHex(given as string).length;
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    throw wrong(`${path}[${index}]`, error.details.expected, error.details.found);
  }
}

function hex(writer: Writer, given: unknown, path: string, length?: number): number {
  try {
    const written = writer.hex(given as string);
    if (length !== undefined && written !== length) {
      throw wrong(path, `${length} bytes`, `${written} bytes`);
    }
    return written;
  } catch (error) {
    if (!(error instanceof VerifyError) || error.reason === "invalid_answer") throw error;
    throw wrong(path, error.details.expected, error.details.found);
  }
}

function word(given: unknown, path: string): string {
  const digits = wordOf(given);
  if (digits) return digits;
  throw wrong(path, "an integer of 256 bits in 0x-hex", describe(given));
}

function list(given: unknown, path: string): readonly unknown[] {
  if (Array.isArray(given)) return given;
  throw wrong(path, "an array", describe(given));
}

/** The length, read once; only a proxy can have an invalid one. */
function lengthOf({ length }: readonly unknown[], path: string): number {
  if (Number.isInteger(length) && length >= 0 && length < 2 ** 32) return length;
  throw wrong(path, "an array", "one of an impossible length");
}

function members(given: unknown, path: string): Record<string, unknown> {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    return given as Record<string, unknown>;
  }
  throw wrong(path, "an object", describe(given));
}

const wrong = (path: string, expected: string, found: string) =>
  refuse("invalid_answer", `${path} to be ${expected}`, found, { scheme: "mpt" });
