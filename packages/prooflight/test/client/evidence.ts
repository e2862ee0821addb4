/** What a client shows where the authorities signed two histories, and whether it is that. */

import { expect } from "vitest";

import { EquivocationError } from "../../src/index.js";

/** The `EquivocationError` that a promise rejects with. */
export async function equivocation(promise: Promise<unknown>): Promise<EquivocationError> {
  const error: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(EquivocationError);
  return error as EquivocationError;
}
