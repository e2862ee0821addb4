/** 64-bit quantities in JSON: `0x` and hexadecimal digits without leading zeros. */
export type Quantity = `0x${string}`;

/** Parses a quantity; undefined if it is not one, or has more than 64 bits. */
export function parseQuantity(text: unknown): bigint | undefined {
  if (typeof text !== "string" || !/^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(text)) return undefined;
  // 0X is not a quantity, though its digits may be of any case.
  return text.startsWith("0x") ? BigInt(text) : undefined;
}

/** Formats a 64-bit number as a quantity. */
export function toQuantity(number: bigint): Quantity {
  return `0x${number.toString(16)}`;
}
