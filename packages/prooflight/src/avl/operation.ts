import { invalid, own } from "../arguments.js";
import { BYTES, viewOf } from "../bytes.js";
import { describe } from "../error.js";
import type { Writer } from "../wire.js";

/**
 * One operation of a batch; its result is the value that the key had before it, or its absence.
 *
 * `Insert` needs an absent key, `Update` and `Remove` a present one. `UpdateLongBy` adds a signed
 * 64-bit integer to a value that is one, big-endian, an absent one counting as 0; a sum of 0
 * deletes the key, and a negative sum fails.
 */
export type Operation =
  | { op: "Lookup" | "Remove" | "RemoveIfExists"; key: Uint8Array }
  | { op: "Insert" | "Update" | "InsertOrUpdate"; key: Uint8Array; value: Uint8Array }
  | { op: "UpdateLongBy"; key: Uint8Array; delta: bigint };

/** For each operation its number in borsh, and what it has beside its key. */
const KINDS = {
  Lookup: { variant: 0, operand: undefined },
  Insert: { variant: 1, operand: "value" },
  Update: { variant: 2, operand: "value" },
  InsertOrUpdate: { variant: 3, operand: "value" },
  Remove: { variant: 4, operand: undefined },
  RemoveIfExists: { variant: 5, operand: undefined },
  UpdateLongBy: { variant: 6, operand: "delta" },
} as const satisfies Record<Operation["op"], { variant: number; operand: string | undefined }>;

/** Writes `Vec<Operation>`; throws `invalid_argument` at what is not an operation. */
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
    // Whoever gives a value to a Lookup may believe that it is compared.
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
