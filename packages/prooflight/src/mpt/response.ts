/** Writes a server's answer to `eth_getProof` into the request while reading it. */

import { fromHex, type Hex, toHex, viewOf } from "../bytes.js";
import { describe, refuse, VerifyError } from "../error.js";
import { Writer } from "../wire.js";
import { wordOf } from "./bytes.js";

/**
 * The number of strings at which a proof is refused: one more than the 65 nodes that a key of 32 bytes can need, since
 * every node but the last consumes a nibble, and as many empty strings.
 */
const ENOUGH_NODES = 131;

/**
 * The form of an answer: `canonical`, that of EIP-1186; `sent`, as nodes send it; or `returned`, by the `getProof` of a
 * library.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#10-reading-an-answer | The specification, mpt 10}
 */
export type AnswerForm = "canonical" | "sent" | "returned";

/**
 * Writes the server's part of a `Question` about `slots` slots. Returns the total length of all nodes in
 * bytes.
 *
 * If a list is too long, it writes just enough of it to show that, and checks the form of the rest, unless `rest` is
 * `unread`. Throws `invalid_answer` unless the answer has the form; other members are ignored.
 */
export function writeResponse(
  writer: Writer,
  response: unknown,
  slots: number,
  form: AnswerForm,
  rest: "read" | "unread",
): number {
  return reading(() => write(writer, response, slots, { ...FORMS[form], rest: rest === "read" }));
}

/**
 * Writes the proofs of an answer, as nodes send them, about an account and `slots`: without what the server says beside
 * them. A slot that the answer lacks has an empty proof.
 */
export function writeProofs(writer: Writer, response: unknown, slots: readonly Hex[]): void {
  const read: Reading = { ...SENT, rest: false };
  const given = members(response, "the answer");
  nodes(writer, read, given["accountProof"], "accountProof");
  const storage = list(or(read.noSlots, given["storageProof"], []), "storageProof");
  const proofs = new Map<string, unknown>();
  storage.slice(0, slots.length).forEach((slot, index) => {
    const path = `storageProof[${index}]`;
    const { key, proof } = members(slot, path);
    proofs.set(integer(read, key, `${path}.key`).toLowerCase(), proof);
  });
  writer.u32(slots.length);
  for (const slot of slots) {
    writer.hex(slot);
    nodes(writer, read, proofs.get(slot) ?? [], `the proof of slot ${slot}`);
  }
}

/** How the members of an answer are read. */
interface Members {
  /** What stands for nothing: of most members, of the nonce and the balance, and of the list of slots. */
  nothing: readonly unknown[];
  noNumber: readonly unknown[];
  noSlots: readonly unknown[];
  /** An integer as 0x and 64 digits; undefined if it is none. */
  integer(given: unknown): Hex | undefined;
  /** Bytes as 0x-hex; anything else as it is. */
  bytes(given: unknown): unknown;
  /** What an integer is, for messages. */
  expected: string;
}

interface Reading extends Members {
  /** Whether the rest of a list that is too long is read too. */
  rest: boolean;
}

const CANONICAL: Members = {
  nothing: [],
  noNumber: [],
  noSlots: [],
  integer: wordOf,
  bytes: (given) => given,
  expected: "an integer of 256 bits in 0x-hex",
};

const SENT: Members = {
  ...CANONICAL,
  nothing: [null],
  noNumber: [null],
  noSlots: [null, undefined],
  integer: (given) => wordOf(given === "0x" ? "0x0" : given),
};

const RETURNED: Members = {
  ...SENT,
  // viem makes undefined of what is missing or null.
  noNumber: [null, undefined],
  integer(given) {
    if (typeof given === "number" ? Number.isSafeInteger(given) : isDecimal(given)) {
      given = BigInt(given as number | string);
    }
    // Too large a number has too many digits, a negative one a sign.
    return SENT.integer(typeof given === "bigint" ? `0x${given.toString(16)}` : given);
  },
  bytes(given) {
    const view = typeof given === "string" ? undefined : viewOf(given);
    return view ? toHex(view) : given;
  },
  expected: "an integer of 256 bits: 0x-hex, a bigint, a number up to 2^53 - 1, decimal digits",
};

const FORMS = { canonical: CANONICAL, sent: SENT, returned: RETURNED };

/** As web3.js 1 writes numbers: not more digits than 2^256 has. */
const isDecimal = (given: unknown): boolean =>
  typeof given === "string" && /^(0|[1-9][0-9]{0,77})$/.test(given);

/** A hash that is null: the reader knows the hash of nothing. */
const NO_HASH = Symbol();

/** A member, or `instead` where it stands for nothing. */
const or = (nothing: readonly unknown[], given: unknown, instead: unknown): unknown =>
  nothing.includes(given) ? instead : given;

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

function write(writer: Writer, response: unknown, slots: number, read: Reading): number {
  const given = members(response, "the answer");
  hex(writer, read.bytes(given["address"]), "address", 20);
  const nonce = integer(read, or(read.noNumber, given["nonce"], "0x0"), "nonce");
  if (!nonce.startsWith(`0x${"0".repeat(48)}`))
    throw wrong("nonce", "64 bits", String(given["nonce"]));
  writer.u64(BigInt(nonce));
  writer.hex(integer(read, or(read.noNumber, given["balance"], "0x0"), "balance"));
  for (const name of ["storageHash", "codeHash"]) {
    const hash = or(read.nothing, given[name], NO_HASH);
    writer.bool(hash !== NO_HASH);
    if (hash !== NO_HASH) hex(writer, read.bytes(hash), name, 32);
  }
  let bytes = nodes(writer, read, given["accountProof"], "accountProof");
  const proofs = list(or(read.noSlots, given["storageProof"], []), "storageProof");
  const count = lengthOf(proofs, "storageProof");
  const enough = Math.min(count, slots + 1);
  writer.u32(enough);
  for (let index = 0; index < enough; index++) {
    bytes += slot(writer, read, proofs[index], index);
  }
  // Later nodes overwrite each other.
  const scratch = new Writer();
  for (let index = enough; read.rest && index < count; index++) {
    scratch.clear();
    bytes += slot(scratch, read, proofs[index], index);
  }
  return bytes;
}

function slot(writer: Writer, read: Reading, given: unknown, index: number): number {
  const path = `storageProof[${index}]`;
  const { key, value, proof } = members(given, path);
  writer.hex(integer(read, key, `${path}.key`));
  writer.hex(integer(read, or(read.nothing, value, "0x0"), `${path}.value`));
  return nodes(writer, read, proof, `${path}.proof`);
}

function nodes(writer: Writer, read: Reading, given: unknown, path: string): number {
  const proof = list(or(read.nothing, given, []), path);
  let bytes = 0;
  const count = lengthOf(proof, path);
  const enough = Math.min(count, ENOUGH_NODES);
  writer.u32(enough);
  for (let index = 0; index < enough; index++) {
    const node = read.bytes(proof[index]);
    if (typeof node !== "string") throw wrong(`${path}[${index}]`, "0x-hex", describe(node));
    writer.u32(Math.max(0, (node.length >> 1) - 1));
    bytes += hex(writer, node, `${path}[${index}]`);
  }
  for (let index = enough; read.rest && index < count; index++) {
    bytes += lengthOfHex(read.bytes(proof[index]), path, index);
  }
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

function integer(read: Reading, given: unknown, path: string): string {
  const digits = read.integer(given);
  if (digits) return digits;
  throw wrong(path, read.expected, describe(given));
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

const KIB = 1024;

/** Methods whose answer is one number or hash. Their errors may carry more data. */
const SHORT: ReadonlySet<string> = new Set([
  ...["eth_chainId", "net_version", "eth_blockNumber"],
  ...["eth_getBalance", "eth_getTransactionCount", "eth_getStorageAt", "eth_estimateGas"],
  ...["eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_blobBaseFee", "eth_sendRawTransaction"],
]);

/**
 * The most bytes of a reply to the method; undefined if the method has no limit of its own.
 *
 * Parsing costs more than sending: 40 MiB of the shortest strings block a page for seconds.
 */
export function mostReplyBytes(method: string, params: unknown): number | undefined {
  if (SHORT.has(method)) return 1024 * KIB;
  if (method !== "eth_getProof") return undefined;
  const slots: unknown = Array.isArray(params) ? params[1] : undefined;
  // 65 nodes of an account's proof, and of each slot's, have at most 532 bytes each, which are 1,067
  // characters of JSON: 68 KiB. The rest is room for indentation and further members.
  const proofs = 1 + (Array.isArray(slots) ? slots.length : 0);
  return 64 * KIB + proofs * 160 * KIB;
}
