/** The questions that proofs of AMB answer, with what the caller trusts. */

import { Arguments, invalid, own } from "../arguments.js";
import { describe, refuse } from "../error.js";
import { type AmbLimits, writeAmbLimits, writeItems } from "../limits.js";
import type { StateOperation } from "../state.js";
import type { Writer } from "../wire.js";

/** The trusted root that a proof is verified against. */
export interface AmbTrusted {
  /** The root of the scheme `amb` after a block, 32 bytes. */
  root: Uint8Array;
  /** The height of this block. No question is about a later one. */
  block: bigint;
  /** Limits that differ from the defaults. */
  limits?: AmbLimits | undefined;
}

/** What value did each key have after block `at`? */
export interface AmbGetInput extends AmbTrusted {
  kind: "get";
  /** The raw keys, at least one; they may repeat. */
  keys: readonly Uint8Array[];
  at: bigint;
  proof: Uint8Array;
}

/** What changed each key in the blocks `from` to `to`, and what value did the key have before? */
export interface AmbHistInput extends AmbTrusted {
  kind: "hist";
  /** The raw keys, at least one; they may repeat. */
  keys: readonly Uint8Array[];
  from: bigint;
  to: bigint;
  proof: Uint8Array;
}

/** Which keys `lo <= key < hi` had a value after block `at`? The proof may be of the first page of these keys. */
export interface AmbRangeInput extends AmbTrusted {
  kind: "range";
  lo: Uint8Array;
  /** Null if the range has no end. */
  hi: Uint8Array | null;
  at: bigint;
  /** Whether the keys come in descending order: the first page then has the last keys. */
  reverse: boolean;
  proof: Uint8Array;
}

/** How many keys `lo <= key < hi` have a value after the block of the root? */
export interface AmbCountInput extends AmbTrusted {
  kind: "count";
  lo: Uint8Array;
  /** Null if the range has no end. */
  hi: Uint8Array | null;
  proof: Uint8Array;
}

/** Which entries `lo <= key < hi` were written after block `after`? For replicas; deleted keys are entries too. */
export interface AmbTransferInput extends AmbTrusted {
  kind: "transfer";
  lo: Uint8Array;
  /** Null if the range has no end. */
  hi: Uint8Array | null;
  /** Null for all entries. */
  after: bigint | null;
  proof: Uint8Array;
}

/** What is the root after the next block? */
export interface AmbUpdateInput extends AmbTrusted {
  kind: "update";
  /** The operations of the next block, normalised: ascending by key, and no deletion of a key without a value. */
  operations: readonly StateOperation[];
  /** Proofs of the parts of the tree that the operations change; at most 256. */
  parts: readonly AmbPart[];
}

/** Keys of an update, and the proof of their part of the tree. */
export interface AmbPart {
  keys: readonly Uint8Array[];
  proof: Uint8Array;
}

/** A question and its proof; `kind` says which members it has. */
export type AmbProofInput =
  AmbGetInput | AmbHistInput | AmbRangeInput | AmbCountInput | AmbTransferInput | AmbUpdateInput;

/** The kinds of proofs, with their ids and the members of a question of each. */
export const QUESTIONS = {
  get: { id: 1, members: ["keys", "at", "proof"] },
  hist: { id: 2, members: ["keys", "from", "to", "proof"] },
  range: { id: 3, members: ["lo", "hi", "at", "reverse", "proof"] },
  count: { id: 4, members: ["lo", "hi", "proof"] },
  transfer: { id: 5, members: ["lo", "hi", "after", "proof"] },
  update: { id: 6, members: ["operations", "parts"] },
} as const satisfies Record<AmbProofInput["kind"], object>;

/** The name of a kind of proofs. */
export type AmbKind = keyof typeof QUESTIONS;

/** The members of a question of any kind. */
type Member = (typeof QUESTIONS)[AmbKind]["members"][number];

/** The most parts of an update, and the most bytes of their proofs. */
const MAX_PARTS = 256;
const MAX_PARTS_BYTES = 64 * 1024 * 1024;

/** The members of every question. */
const TRUSTED = ["kind", "root", "block", "limits"] as const;

/** The kind that an input names. */
export function readKind(input: unknown): AmbKind {
  const kind = typeof input === "object" && input !== null ? own(input, "kind") : undefined;
  if (typeof kind === "string" && Object.hasOwn(QUESTIONS, kind)) return kind as AmbKind;
  throw invalid("amb", "kind", `one of ${Object.keys(QUESTIONS).join(", ")}`, describe(kind));
}

/** The members of an input of a kind. */
export const membersOf = (kind: AmbKind): readonly (Member | (typeof TRUSTED)[number])[] => [
  ...TRUSTED,
  ...QUESTIONS[kind].members,
];

/**
 * Writes an `AmbRequest` of `bindings/wasm/src/amb/message.rs`. Returns the proof and its limit; an update has its
 * proofs in the request.
 */
export function writeQuestion(
  request: Writer,
  kind: AmbKind,
  input: unknown,
): { proof: Uint8Array; maxProofBytes: number } {
  const given = new Arguments("amb", input, membersOf(kind), "", { kind });
  request.u8(QUESTIONS[kind].id);
  request.array(given.array("root", 32));
  request.u64(given.u64("block"));
  const { maxProofBytes } = writeAmbLimits(request, given);
  switch (kind) {
    case "get":
      writeItems(request, given.list("keys"), "keys", { scheme: "amb" });
      request.u64(given.u64("at"));
      break;
    case "hist":
      writeItems(request, given.list("keys"), "keys", { scheme: "amb" });
      request.u64(given.u64("from"));
      request.u64(given.u64("to"));
      break;
    case "range":
      writeBounds(request, given);
      request.u64(given.u64("at"));
      request.bool(given.boolean("reverse"));
      break;
    case "count":
      writeBounds(request, given);
      break;
    case "transfer": {
      writeBounds(request, given);
      const all = given.unchecked("after") === null;
      request.optionalU64(all ? undefined : given.u64("after"));
      break;
    }
    case "update":
      request.sequence(given.list("operations").map(operationOf), ({ key, value }) => {
        request.bytes(key);
        writeOptional(request, value);
      });
      writeParts(request, given.list("parts"));
  }
  return { proof: kind === "update" ? new Uint8Array() : given.bytes("proof"), maxProofBytes };
}

/** Writes the bounds of a range. */
export function writeBounds<Name extends string>(
  request: Writer,
  given: Arguments<Name | "lo" | "hi">,
): void {
  request.bytes(given.bytes("lo"));
  writeOptional(request, given.unchecked("hi") === null ? undefined : given.bytes("hi"));
}

function writeOptional(request: Writer, bytes: Uint8Array | undefined): void {
  request.bool(bytes !== undefined);
  if (bytes) request.bytes(bytes);
}

function operationOf(operation: unknown, index: number) {
  const path = `operations[${index}]`;
  const given = new Arguments("amb", operation, ["op", "key", "value"], path);
  const op = given.unchecked("op");
  const [key, value] = [given.bytes("key"), given.optionalBytes("value")];
  if (op === "Set" && value) return { key, value };
  if (op === "Delete" && !value) return { key, value };
  const found = value ? `${describe(op)} with a value` : describe(op);
  throw invalid("amb", path, "a Set with a value or a Delete without", found);
}

/** The bounds are checked before anything is copied. */
function writeParts(request: Writer, items: readonly unknown[]): void {
  if (items.length > MAX_PARTS) {
    throw invalid("amb", "parts", `at most ${MAX_PARTS} parts`, `${items.length}`);
  }
  const parts = items.map((item, index) => {
    const given = new Arguments("amb", item, ["keys", "proof"], `parts[${index}]`);
    return { keys: given.list("keys"), proof: given.bytes("proof") };
  });
  const bytes = parts.reduce((sum, { proof }) => sum + proof.length, 0);
  if (bytes > MAX_PARTS_BYTES) {
    const expected = `at most ${MAX_PARTS_BYTES} bytes in all parts`;
    throw refuse("proof_too_large", expected, `${bytes} bytes`, { scheme: "amb" });
  }
  request.u32(parts.length);
  parts.forEach(({ keys, proof }, index) => {
    writeItems(request, keys, `parts[${index}].keys`, { scheme: "amb" });
    request.bytes(proof);
  });
}
