// The npm package behind the conformance kit: node adapter.ts (Node 22.18 or newer; `npm run build` first).

import { createInterface } from "node:readline";

import { VerifyError } from "../../packages/prooflight/dist/index.js";
import "../../packages/prooflight/dist/inline/index.js";
import { KINDS } from "../../packages/prooflight/dist/statement/kinds.js";

function verdict(type: string, input: unknown): object {
  try {
    const kind = KINDS.get(type);
    return kind ? { valid: kind.verify(input) } : { unsupported: true };
  } catch (error) {
    if (!(error instanceof VerifyError) || error.code === "internal") throw error;
    return { invalid: { code: error.code, reason: error.reason } };
  }
}

await Promise.all([...KINDS.values()].map((kind) => kind.init()));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, type, input } = JSON.parse(line) as { id: number; type: string; input: unknown };
  console.log(JSON.stringify({ id, ...verdict(type, input) }));
}
