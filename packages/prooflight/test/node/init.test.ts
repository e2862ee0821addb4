import { runInNewContext } from "node:vm";

import { expect, test } from "vitest";

import { init, verifyLookup } from "../../src/avl.js";
import { refusal, rejection, verdict } from "../refusal.js";

test("a URL that is relative to nothing is refused", async () => {
  const error = await rejection(init("./prooflight-hash.wasm"));
  expect(verdict(error)).toBe("invalid_input / invalid_argument");
});

test("bytes of another realm are bytes", async () => {
  await init();
  const [digest, key, proof] = runInNewContext(
    "[new Uint8Array(33), new Uint8Array([1]), new Uint8Array()]",
  ) as [Uint8Array, Uint8Array, Uint8Array];
  expect(digest).not.toBeInstanceOf(Uint8Array);
  const error = refusal(() => verifyLookup({ digest, key, proof, keyLength: 1 }));
  expect(verdict(error)).toBe("malformed / truncated");
});
