import { Arguments } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { refuse } from "../error.js";
import { type HistoryLimits, writeHistoryLimits } from "../limits.js";
import type { Absent, Present } from "../state.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";
import { readAnswer } from "./proof.js";

/** A key, a range of blocks, and the proof of the key's changes in it. */
export interface HistoryProof {
  /** The raw key. */
  key: Uint8Array;
  /** The first block of the range. */
  from: bigint;
  /** The last block of the range. */
  to: bigint;
  /** The proof. */
  proof: Uint8Array;
  /** Limits that differ from the defaults. */
  limits?: HistoryLimits | undefined;
}

/** The root of the scheme `smt` after a block, which the caller trusts. */
export interface BlockRoot {
  height: bigint;
  /** 32 bytes. */
  root: Uint8Array;
}

/** The input of {@link verifySmtHistory}. */
export interface HistoryInput extends HistoryProof {
  /** The roots of exactly the blocks that {@link smtHistoryBlocks} names, in its order. */
  roots: readonly BlockRoot[];
}

/** A change of a key's value. */
export interface Change {
  /** The height of the block that made it. */
  height: bigint;
  /** The new value; null if the key was deleted. */
  value: Bytes | null;
}

/** The complete history of a key in a range of blocks. */
export interface KeyHistory {
  /** The key's state before the range; undefined if the range's first block changed the key, which hides it. */
  entering: Present | Absent | undefined;
  /** Every change, the oldest first. */
  changes: Change[];
}

/** The members of a {@link HistoryProof}. */
export const RANGE = ["key", "from", "to", "proof", "limits"] as const;

/**
 * The blocks whose roots a history claims to need, newest first.
 *
 * The list is the proof's unverified claim. Look up the roots of these blocks in headers that you trust, and pass them
 * to {@link verifySmtHistory}, which throws the same errors.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/smt.md#5-histories | The specification, smt 5}
 *
 * @example
 * ```ts
 * import { init, smtHistoryBlocks } from "prooflight/smt";
 *
 * await init();
 * const blocks = smtHistoryBlocks({ key, from: 10n, to: 90n, proof });
 * console.log("the proof needs the roots of the blocks", blocks);
 * ```
 */
export function smtHistoryBlocks(range: HistoryProof): bigint[] {
  const given = new Arguments("smt", range, RANGE);
  const request = new Writer();
  const proof = writeRange(request, given);
  const packed = request.finish();
  const response = new Reader(hash.call("smt", (wasm) => wasm.smtHistoryBlocks(packed, proof)));
  return response.sequence(() => response.u64());
}

/**
 * Verifies the complete changes of a key in the blocks from `from` to `to`.
 *
 * Throws a `VerifyError`: `malformed` if the proof is not well-formed or exceeds a limit, `mismatch` if it
 * does not verify against the roots, `invalid_input` for a range that ends before it begins or roots of
 * other blocks.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/smt.md#5-histories | The specification, smt 5}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/ask-about-the-past.md | Ask about the past}
 *
 * @example
 * ```ts
 * import { init, smtHistoryBlocks, verifySmtHistory } from "prooflight/smt";
 *
 * await init();
 * const range = { key, from: 10n, to: 90n, proof };
 * // `rootOf` looks up the root in a header that you trust.
 * const roots = smtHistoryBlocks(range).map((height) => ({ height, root: rootOf(height) }));
 * const { changes } = verifySmtHistory({ ...range, roots });
 * for (const { height, value } of changes) console.log(height, value ?? "deleted");
 * ```
 */
export function verifySmtHistory(input: HistoryInput): KeyHistory {
  const given = new Arguments("smt", input, [...RANGE, "roots"]);
  const request = new Writer(1024);
  const proof = writeHistory(request, given);
  const packed = request.finish();
  return readHistory(new Reader(hash.call("smt", (wasm) => wasm.smtVerifyHistory(packed, proof))));
}

/** Reads a `History`. */
export function readHistory(response: Reader): KeyHistory {
  const entering = response.u8() === 0 ? undefined : readAnswer(response);
  return { entering, changes: response.sequence(() => changeOf(readAnswer(response))) };
}

/** Writes a `HistoryRequest`; returns the proof. */
export function writeHistory<Name extends string>(
  request: Writer,
  given: Arguments<Name | (typeof RANGE)[number] | "roots">,
): Uint8Array {
  const proof = writeRange(request, given);
  const roots = given.list("roots");
  request.u32(roots.length);
  roots.forEach((item, index) => {
    const root = new Arguments("smt", item, ["height", "root"], `roots[${index}]`);
    request.u64(root.u64("height"));
    request.array(root.array("root", 32));
  });
  return proof;
}

/** Writes a `Range`; returns the proof. */
function writeRange<Name extends string>(
  request: Writer,
  given: Arguments<Name | (typeof RANGE)[number]>,
): Uint8Array {
  request.bytes(given.bytes("key"));
  request.u64(given.u64("from"));
  request.u64(given.u64("to"));
  const { maxProofBytes } = writeHistoryLimits(request, given);
  return given.proof("proof", maxProofBytes);
}

function changeOf(answer: Present | Absent): Change {
  const { since, value } =
    answer.kind === "present" ? answer : { since: answer.deletedAt, value: null };
  if (since === undefined) throw refuse("bug", "the height of a change", "none", { scheme: "smt" });
  return { height: since, value };
}
