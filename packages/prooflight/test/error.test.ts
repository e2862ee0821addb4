import { expect, test } from "vitest";

import { toHex, VerifyError } from "../src/index.js";
import { refusal, verdict } from "./refusal.js";

const sent = () => refusal(() => toHex("no bytes" as never));

test("an error comes back from its JSON, also from a clone of that", () => {
  const error = sent();
  for (const json of [
    error.toJSON(),
    structuredClone(error.toJSON()),
    JSON.parse(JSON.stringify(error)),
  ]) {
    const received = VerifyError.from(json);
    expect(received).toBeInstanceOf(VerifyError);
    expect(received.toJSON()).toEqual(error.toJSON());
  }
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["text", "mismatch"],
  ["an unknown reason", { ...sent().toJSON(), reason: "whim" }],
  ["a member of every object", { ...sent().toJSON(), reason: "toString" }],
  ["a code of another reason", { ...sent().toJSON(), code: "mismatch" }],
  ["an unknown scheme", { ...sent().toJSON(), scheme: "toString" }],
  ["no message", { ...sent().toJSON(), message: undefined }],
])("%s is no error", (_, json) => {
  expect(verdict(refusal(() => VerifyError.from(json)))).toBe("invalid_input / invalid_argument");
});
