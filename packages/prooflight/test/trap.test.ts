import { afterEach, expect, test, vi } from "vitest";

import { AvlProver, init, initSync, verifyLookup } from "../src/avl.js";
import { refusal, verdict } from "./refusal.js";
import { fromFile, limitMemory, wasmUrl } from "./wasm.js";

// The binary that is published, in a memory of only 2 MiB more than it starts with: a proof of
// 4 MiB does not fit, and the allocation aborts in the middle of the call.
initSync(limitMemory(await fromFile(wasmUrl), 32));

const key = Uint8Array.of(1, 2);
const dictionary = { keyLength: 2, valueLength: 1 };
const operations = [{ op: "Insert" as const, key, value: Uint8Array.of(7) }];

function makeProof() {
  using prover = new AvlProver(dictionary);
  prover.apply(operations);
  const { proof, digest } = prover.prove([{ op: "Lookup", key }]);
  return { ...dictionary, digest, key, proof };
}

const small = makeProof();
const large = { ...small, proof: new Uint8Array(4 << 20) };

afterEach(() => {
  vi.restoreAllMocks();
});

test("a trap is an internal error, and the calls after it work", () => {
  for (let round = 0; round < 3; round++) {
    const error = refusal(() => verifyLookup(large));
    expect(verdict(error)).toBe("internal / trapped");
    expect(error.scheme).toBe("avl");
    expect(error.cause).toBeInstanceOf(WebAssembly.RuntimeError);
    expect(verifyLookup(small)).toEqual({ kind: "present", value: Uint8Array.of(7) });
  }
});

test("a trap loses the provers, which say so, and not those made after it", () => {
  const before = new AvlProver(dictionary);
  before.apply(operations);
  refusal(() => verifyLookup(large));
  const after = new AvlProver(dictionary);
  after.apply(operations);

  for (const use of [
    () => before.get(key),
    () => before.digest,
    () => before.prove(operations),
    () => before.apply(operations),
  ]) {
    expect(verdict(refusal(use))).toBe("internal / trapped");
  }
  before.dispose();
  expect(after.get(key)).toEqual(Uint8Array.of(7));
});

test("where no instance can be made at once, init brings the binary back", async () => {
  const prover = new AvlProver(dictionary);
  vi.spyOn(WebAssembly, "Instance").mockImplementation(function () {
    throw new RangeError("WebAssembly.Instance is disallowed on the main thread");
  });
  expect(verdict(refusal(() => verifyLookup(large)))).toBe("internal / trapped");
  expect(verdict(refusal(() => verifyLookup(small)))).toBe("invalid_input / not_initialised");
  expect(verdict(refusal(() => prover.get(key)))).toBe("internal / trapped");
  prover.dispose();
  await init();
  expect(verifyLookup(small)).toEqual({ kind: "present", value: Uint8Array.of(7) });
});
