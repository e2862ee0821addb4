import { invalid, own } from "../arguments.js";
import { BYTES, viewOf } from "../bytes.js";
import { describe } from "../error.js";
import type { Writer } from "../wire.js";

/**
 * One operation of a batch. The result is the key's previous value, or its absence.
 *
 * `Insert` needs an absent key, `Update` and `Remove` a present one. `UpdateLongBy` adds a signed
 * 64-bit integer to the value, which must be such an integer, big-endian; an absent value counts as 0.
 * A sum of 0 deletes the key, and a negative sum fails.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/avl.md#4-operations | The specification, avl 4}
 */
export type Operation =
  | { op: "Lookup" | "Remove" | "RemoveIfExists"; key: Uint8Array }
  | { op: "Insert" | "Update" | "InsertOrUpdate"; key: Uint8Array; value: Uint8Array }
  | { op: "UpdateLongBy"; key: Uint8Array; delta: bigint };

/** The number of each operation in borsh, and its member in addition to the key. */
const KINDS = {
  Lookup: { variant: 0, operand: undefined },
  Insert: { variant: 1, operand: "value" },
  Update: { variant: 2, operand: "value" },
  InsertOrUpdate: { variant: 3, operand: "value" },
  Remove: { variant: 4, operand: undefined },
  RemoveIfExists: { variant: 5, operand: undefined },
  UpdateLongBy: { variant: 6, operand: "delta" },
} as const satisfies Record<Operation["op"], { variant: number; operand: string | undefined }>;

/** Writes `Vec<Operation>`; throws `invalid_argument` if an item is not an operation. */
export function writeOperations(writer: Writer, operations: readonly unknown[]): void {
  const count = operations.length;
  writer.u32(count);
  for (let index = 0; index < count; index++) writeOperation(writer, operations[index], index);
}

function writeOperation(writer: Writer, operation: unknown, index: number): void {
  if (typeof operation !== "object" || operation === null) {
    throw wrong(index, "", "an object", operation);
  }
  const op = own(operation, "op");
  const key = own(operation, "key");
  const value = own(operation, "value");
  const delta = own(operation, "delta");
  if (typeof op !== "string" || !Object.hasOwn(KINDS, op)) {
    throw wrong(index, ".op", Object.keys(KINDS).join(" or "), op);
  }
  const { variant, operand } = KINDS[op as Operation["op"]];
  const keyBytes = viewOf(key);
  if (!keyBytes) throw wrong(index, ".key", BYTES, key);
  writer.u8(variant);
  writer.bytes(keyBytes);

  if (operand === "value") {
    const valueBytes = viewOf(value);
    if (!valueBytes) throw wrong(index, ".value", BYTES, value);
    writer.bytes(valueBytes);
  } else if (value !== undefined) {
    // The value would be ignored, but a caller who gives a Lookup a value may expect a comparison.
    throw wrong(index, ".value", `left out of ${op}`, value);
  }

  if (operand === "delta") {
    if (typeof delta !== "bigint" || BigInt.asIntN(64, delta) !== delta) {
      throw wrong(index, ".delta", "a bigint of -2^63 to 2^63 - 1", delta);
    }
    writer.i64(delta);
  } else if (delta !== undefined) {
    throw wrong(index, ".delta", `left out of ${op}`, delta);
  }
}

const wrong = (index: number, member: string, expected: string, found: unknown) =>
  invalid("avl", `operations[${index}]${member}`, expected, describe(found));
