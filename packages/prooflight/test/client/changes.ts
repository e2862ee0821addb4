/** What changed in ranges of blocks: as a client says it, and as the blocks of the tests make it. */

import { toHex } from "../../src/index.js";
import type { Change, Diff, Hex, History } from "../../src/index.js";
import { blocks } from "../network/state.js";

/** The changes of a history in a form that can be compared, with the block of each. */
export const steps = ({ changes }: Pick<History, "changes">) =>
  changes.map(({ block, value }) => [block.height, value && toHex(value)]);

/** The last change of each key of a diff, by key. */
export const lastChanges = ({ changes }: Diff) =>
  new Map(changes.map(({ key, height, value }) => [toHex(key), step({ height, value })]));

const step = ({ height, value }: Change) => [height, value && toHex(value)];

/** The changes of a key that the blocks from one to another make. */
export function changesOf(key: Hex, from: bigint, to: bigint) {
  return allChanges(from, to).flatMap(([changed, ...change]) => (changed === key ? [change] : []));
}

/** The last of them for each key that they change. */
export function lastChangesIn(from: bigint, to: bigint) {
  return new Map(allChanges(from, to).map(([key, ...change]) => [key as string, change]));
}

const allChanges = (from: bigint, to: bigint) =>
  blocks.slice(Number(from) - 1, Number(to)).flatMap((operations, index) =>
    operations.map((operation) => {
      const value = operation.op === "Set" ? operation.value : null;
      return [operation.key, from + BigInt(index), value] as const;
    }),
  );
