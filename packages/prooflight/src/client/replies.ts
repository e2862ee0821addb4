/** Reads results of the node's methods. They are untrusted: only their form is checked here. */

import { type Bytes, fromHex } from "../bytes.js";
import { describe, refuse, VerifyError } from "../error.js";
import type { StateOperation } from "../state.js";

/** The result of `prooflight_headerProof`. */
export interface HeaderProof {
  header: Bytes;
  head: Bytes;
  path: Bytes[];
}

/** The result of `prooflight_prove`. */
export interface StateProof {
  header: Bytes;
  proof: Bytes;
}

/** The result of `prooflight_history` and `prooflight_diff`. */
export interface HistoryReply {
  head: Bytes;
  headers: Bytes[];
  hashes: Bytes[];
  proof: Bytes;
}

/** The result of `prooflight_block`. */
export interface BlockReply {
  header: Bytes;
  operations: StateOperation<Bytes>[];
  transition: Bytes;
}

/** Heights have 64 bits, and a path at most one hash for each. */
export const MAX_PATH_HASHES = 64;

/** A history has at most 100,000 changes, and needs at most two headers for each and two for its ends. */
export const MAX_HISTORY_HEADERS = 200_002;

/** A diff needs the header of its last block; one more is tolerated, and its position verified. */
export const MAX_DIFF_HEADERS = 2;

/** Reads a header's position in a head's history. Both headers are signed. */
export function readHeaderProof(result: unknown): HeaderProof {
  const { header, head, path } = members(result, "a header's place");
  return {
    header: signedHeader(header, "header"),
    head: signedHeader(head, "head"),
    path: list(path, "path", MAX_PATH_HASHES).map((hash, index) =>
      bytes(hash, `path[${index}]`, 32),
    ),
  };
}

/** Reads a proof and the signed header that it is about. */
export function readStateProof(result: unknown): StateProof {
  const { header, proof } = members(result, "a proof");
  return { header: signedHeader(header, "header"), proof: bytes(proof, "proof") };
}

/** Reads a proof about a range of blocks, with at most `mostHeaders` headers. The head is signed. */
export function readHistoryProof(result: unknown, mostHeaders: number): HistoryReply {
  const { head, headers: given, hashes, proof } = members(result, "a proof about a range");
  const headers = list(given, "headers", mostHeaders);
  return {
    head: signedHeader(head, "head"),
    headers: headers.map((header, index) => bytes(header, `headers[${index}]`)),
    // Without headers, one path is still read: the verification then gives the more precise refusal.
    hashes: list(hashes, "hashes", MAX_PATH_HASHES * Math.max(headers.length, 1)).map(
      (hash, index) => bytes(hash, `hashes[${index}]`, 32),
    ),
    proof: bytes(proof, "proof"),
  };
}

/** Reads a block with its transition of a scheme; `invalid_block` if it has too many operations. */
export function readBlock(result: unknown, scheme: string, maxOps: number): BlockReply {
  const { header, ops, transitions } = members(result, "a block");
  const proofs = members(transitions, "transitions");
  return {
    header: signedHeader(header, "header"),
    operations: operations(list(ops, "ops"), maxOps),
    transition: bytes(proofs[scheme], `transitions.${scheme}`),
  };
}

/** Checks the number first, since an operation takes more memory than its bytes in the reply. */
function operations(ops: unknown[], most: number): StateOperation<Bytes>[] {
  if (ops.length <= most) return ops.map(operation);
  throw refuse("invalid_block", `at most ${most} operations`, `${ops.length}`);
}

function operation(given: unknown, index: number): StateOperation<Bytes> {
  const path = `ops[${index}]`;
  const { op, key: keyHex, value } = members(given, path);
  const key = bytes(keyHex, `${path}.key`);
  if (op === "Set") return { op, key, value: bytes(value, `${path}.value`) };
  if (op === "Delete") return { op, key };
  throw wrong(`${path}.op`, "Set or Delete", describe(op));
}

function signedHeader(given: unknown, path: string): Bytes {
  return bytes(members(given, path)["signedHeader"], `${path}.signedHeader`);
}

function members(given: unknown, path: string): Record<string, unknown> {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    return given as Record<string, unknown>;
  }
  throw wrong(path, "an object", describe(given));
}

function list(given: unknown, path: string, most = Infinity): unknown[] {
  if (!Array.isArray(given)) throw wrong(path, "an array", describe(given));
  if (given.length > most) throw wrong(path, `at most ${most} items`, `${given.length}`);
  return given;
}

function bytes(given: unknown, path: string, length?: number): Bytes {
  let read: Bytes;
  try {
    read = fromHex(given as string);
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    throw wrong(path, error.details.expected, error.details.found);
  }
  if (length === undefined || read.length === length) return read;
  throw wrong(path, `${length} bytes`, `${read.length} bytes`);
}

const wrong = (path: string, expected: string, found: string) =>
  refuse("invalid_result", `${path} to be ${expected}`, found);
