/** What the blocks of the chain that the tests read do, and what the state is after each. */

import type { Hex } from "../../src/bytes.js";

/** An operation as the node takes it. */
export type Operation = { op: "Set"; key: Hex; value: Hex } | { op: "Delete"; key: Hex };

/** The height of the header that the tests pin. */
export const PINNED = 2n;

export const alice = account("alice");
/** Has an empty value. */
export const empty = account("empty");
/** Was there once. */
export const deleted = account("deleted");
/** Never was there. */
export const nobody = account("nobody");

/** The operations of blocks 1, 2 and so on; genesis has none. */
export const blocks: readonly (readonly Operation[])[] = [
  Array.from({ length: 60 }, (_, index) => set(account(`user ${index}`), `${index}.00`)),
  [set(alice, "10.00"), set(empty, ""), set(deleted, "3.50")],
  ...Array.from({ length: 4 }, (_, index) => day(index)),
  [...day(4), { op: "Delete", key: deleted }],
  ...Array.from({ length: 5 }, (_, index) => day(index + 5)),
];

/** The blocks of an era of `lmpt`: the newest block is in the third one. */
export const ERA_BLOCKS = 5;

/** The height of the newest block. */
export const NEWEST = BigInt(blocks.length);

/** Every key that ever had a value, with the one it has after a block; undefined if it has none. */
export function stateAt(height: bigint): Map<Hex, Hex | undefined> {
  const state = new Map<Hex, Hex | undefined>();
  for (const operation of blocks.slice(0, Number(height)).flat()) {
    state.set(operation.key, operation.op === "Set" ? operation.value : undefined);
  }
  return state;
}

/** The keys with a value after a block, in order, with these values. */
export const listAt = (height: bigint): [Hex, Hex][] =>
  [...stateAt(height)]
    .flatMap(([key, value]): [Hex, Hex][] => (value === undefined ? [] : [[key, value]]))
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** A key of the state, `account/NAME` in UTF-8. */
export function account(name: string): Hex {
  return hex(`account/${name}`);
}

export function set(key: Hex, value: string): Operation {
  return { op: "Set", key, value: hex(value) };
}

function day(index: number): Operation[] {
  return [set(alice, `${11 + index}.00`), set(account(`user ${index}`), `${100 + index}.00`)];
}

function hex(text: string): Hex {
  const digits = [...new TextEncoder().encode(text)].map((byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return `0x${digits.join("")}`;
}
