/** What a client shows where the authorities signed two histories, and whether it is that. */

import { expect } from "vitest";

import { type Checkpoint, decodeHeader, verifyAncestor, verifyHead } from "../../src/chain.js";
import { EquivocationError, type Evidence, toHex } from "../../src/index.js";

/** The `EquivocationError` that a promise rejects with. */
export async function equivocation(promise: Promise<unknown>): Promise<EquivocationError> {
  const error: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(EquivocationError);
  return error as EquivocationError;
}

/**
 * Expects that evidence shows anyone who has the chain's configuration, and nothing else, that a quorum
 * of its authorities signed two histories.
 */
export function expectTwoHistories(
  { height, accepted, conflicting }: Evidence,
  { config }: Checkpoint,
): void {
  const one = headerAt(height, accepted, config);
  const other = headerAt(height, conflicting, config);
  expect([one.height, other.height]).toEqual([height, height]);
  expect(toHex(one.hash)).toBe(toHex(accepted.hash));
  expect(toHex(other.hash)).not.toBe(toHex(one.hash));
}

/** The header at a height in the history of a signed head. */
function headerAt(
  height: bigint,
  { signed, ancestor }: Pick<Evidence["conflicting"], "ancestor"> & { signed?: unknown },
  config: Checkpoint["config"],
) {
  expect(signed).toBeInstanceOf(Uint8Array);
  const claimed = decodeHeader(signed as Uint8Array);
  const head = verifyHead({
    checkpoint: {
      config,
      height: `0x${claimed.height.toString(16)}`,
      headerHash: toHex(claimed.hash),
    },
    ...{ head: signed as Uint8Array, inclusion: [], now: claimed.timestampMs },
  });
  if (!ancestor) return head;
  expect(head.height).toBeGreaterThan(height);
  const { header, path } = ancestor;
  return verifyAncestor({ head: head.encoded, header, inclusion: path });
}
