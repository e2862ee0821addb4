/** Checks of JSON values. */

/** Whether it is bytes. */
export const isHex = (value: unknown): value is string =>
  typeof value === "string" && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);

/** Whether it is an integer from 0 to 2^32 - 1. */
export const isU32 = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;

/** Whether it is an object, and neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
