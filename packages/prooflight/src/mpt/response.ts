/** A server's answer to `eth_getProof`, written into the request as it is read. */

import { describe, refuse, VerifyError } from "../error.js";
import type { Writer } from "../wire.js";
import { wordOf } from "./bytes.js";

/**
 * Writes the part of a `Question` that the server answered; gives the bytes of all nodes together.
 *
 * Throws `invalid_answer` unless it has the form of EIP-1186; members that are not among those are
 * not looked at.
 */
export function writeResponse(writer: Writer, response: unknown): number {
  try {
    return write(writer, response);
  } catch (cause) {
    if (cause instanceof VerifyError) throw cause;
    // JSON has no such objects; those of a provider in the same program may run code when they are read.
    const found = "an object that cannot be read";
    throw refuse("invalid_answer", "plain data", found, { scheme: "mpt", cause });
  }
}

function write(writer: Writer, response: unknown): number {
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
  const slots = list(given["storageProof"], "storageProof");
  const count = lengthOf(slots, "storageProof");
  writer.u32(count);
  for (let index = 0; index < count; index++) {
    const path = `storageProof[${index}]`;
    const { key, value, proof } = members(slots[index], path);
    writer.hex(word(key, `${path}.key`));
    writer.hex(word(value, `${path}.value`));
    bytes += nodes(writer, proof, `${path}.proof`);
  }
  return bytes;
}

function nodes(writer: Writer, given: unknown, path: string): number {
  const proof = list(given, path);
  let bytes = 0;
  const count = lengthOf(proof, path);
  writer.u32(count);
  for (let index = 0; index < count; index++) {
    const node = proof[index];
    if (typeof node !== "string") throw wrong(`${path}[${index}]`, "0x-hex", describe(node));
    writer.u32(Math.max(0, (node.length >> 1) - 1));
    bytes += hex(writer, node, `${path}[${index}]`);
  }
  return bytes;
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

/** The length, read once; only a proxy has one that no array has. */
function lengthOf({ length }: readonly unknown[], path: string): number {
  if (Number.isInteger(length) && length >= 0 && length < 2 ** 32) return length;
  throw wrong(path, "an array", "one of a length that no array has");
}

function members(given: unknown, path: string): Record<string, unknown> {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    return given as Record<string, unknown>;
  }
  throw wrong(path, "an object", describe(given));
}

const wrong = (path: string, expected: string, found: string) =>
  refuse("invalid_answer", `${path} to be ${expected}`, found, { scheme: "mpt" });
