/** 64-bit quantities as JSON carries them: `0x` and hexadecimal digits without leading zeros. */
export type Quantity = `0x${string}`;

/** The number that a quantity says; undefined if it is none, or of more than 64 bits. */
export function parseQuantity(text: unknown): bigint | undefined {
  if (typeof text !== "string" || !/^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(text)) return undefined;
  // 0X is not a quantity, though its digits may be of any case.
  return text.startsWith("0x") ? BigInt(text) : undefined;
}

/** Writes a number of 64 bits as a quantity. */
export function toQuantity(number: bigint): Quantity {
  return `0x${number.toString(16)}`;
}
