// Other keys and values for the lies that need them.

import { toHex } from "../header.mjs";

/** Keys that blocks have set, the latest first, including keys that were deleted since. */
export async function* presentKeys(node, at) {
  let header = await node("prooflight_header", { at });
  for (let read = 0; read < 20; read++) {
    const { ops } = await node("prooflight_block", { at: header.hash });
    for (const { op, key } of ops) if (op === "Set") yield key;
    if (BigInt(header.height) === 0n) return;
    header = await node("prooflight_header", { at: header.parent });
  }
}

/** Keys that no block has set. */
export function* absentKeys() {
  for (let i = 0; i < 100; i++) yield toHex(Buffer.from(`nobody ever set this ${i}`));
}

/** A plausible value: of the same length, with another last digit, letter or number. */
export function otherValue(value) {
  if (value.length === 0) return Buffer.from("1");
  const copy = Buffer.from(value);
  const last = copy.length - 1;
  const isDigit = copy[last] >= 0x30 && copy[last] <= 0x39;
  copy[last] = isDigit ? 0x30 + 0x39 - copy[last] : copy[last] ^ 1;
  return copy;
}
