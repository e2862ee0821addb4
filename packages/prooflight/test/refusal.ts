import { expect } from "vitest";

import { VerifyError } from "../src/error.js";

/** The error that `call` throws; fails if it throws none, or one of another kind. */
export function refusal(call: () => unknown): VerifyError {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(VerifyError);
  return thrown as VerifyError;
}

/** The error that a promise rejects with, or that a call throws. */
export async function rejection(asked: Promise<unknown> | (() => unknown)): Promise<VerifyError> {
  const settled = await Promise.resolve(asked)
    .then((asked) => (typeof asked === "function" ? (asked as () => unknown)() : asked))
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(settled).toBeInstanceOf(VerifyError);
  return settled as VerifyError;
}

/** What is stable about a refusal: `mismatch / root_mismatch`. */
export const verdict = ({ code, reason }: VerifyError) => `${code} / ${reason}`;
