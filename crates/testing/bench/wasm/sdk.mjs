// The SDK as its users call it, on the cases of a vector file.

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { inside } from "../../../../scripts/lib/paths.mjs";

/** A function that verifies all cases of a vector file, or undefined if the SDK is not built. */
export async function sdk(json) {
  const built = inside("packages", "prooflight", "dist", "avl.js");
  if (!existsSync(built)) return undefined;
  const avl = await import(pathToFileURL(built));
  await avl.init();
  const calls = JSON.parse(json).testGroups.flatMap(({ type, tests }) => {
    const verify = type === "ErgoAdProofs" ? avl.verifyErgoAdProofs : avl.verifyBatch;
    return tests.map(({ input }) => {
      const { ops, ...rest } = bytes(input);
      return () => verify({ ...rest, operations: ops });
    });
  });
  return () => {
    const results = calls.map((call) => call());
    return () => results.map(({ digest }) => Buffer.from(digest).toString("hex")).join("");
  };
}

/** The same value with bytes in place of their hexadecimal text. */
function bytes(value) {
  if (typeof value === "string" && value.startsWith("0x")) {
    return Uint8Array.from(Buffer.from(value.slice(2), "hex"));
  }
  if (Array.isArray(value)) return value.map(bytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bytes(item)]));
}
