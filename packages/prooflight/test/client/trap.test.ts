/** A reply that WebAssembly runs out of memory over must not harm later questions. */

import { expect, test } from "vitest";

import { initSync } from "../../src/index.js";
import { alice, NEWEST } from "../network/state.js";
import { connect } from "./network.js";
import { rejection, verdict } from "../refusal.js";
import { fromFile, limitMemory, wasmUrl } from "../wasm.js";

// The binary that is published, in a memory of only 2 MiB more than it starts with.
initSync(limitMemory(await fromFile(wasmUrl), 32));

test("a trap is an internal error of one question, and the others are answered", async () => {
  let proofs = 0;
  const client = await connect({
    // Every second proof has 4 MiB of zeros behind it, which do not fit into the memory.
    fetch: async (...call) => {
      const response = await fetch(...call);
      const text = await response.text();
      const isProof = text.includes('"proof":"');
      if (!isProof || ++proofs % 2 === 1) return new Response(text);
      return new Response(text.replace(/("proof":"0x[0-9a-f]*)/, `$1${"00".repeat(4 << 20)}`));
    },
  });
  // Of a proof of fewer keys, so much would not even be read.
  const keys = Array.from({ length: 64 }, () => alice);
  for (let round = 0; round < 3; round++) {
    expect((await client.getMany(keys))[0]?.kind).toBe("present");
    expect(verdict(await rejection(client.getMany(keys)))).toBe("internal / trapped");
  }
  expect((await client.sync()).height).toBe(NEWEST);
  expect((await client.get(alice, { at: 5n })).kind).toBe("present");
});
