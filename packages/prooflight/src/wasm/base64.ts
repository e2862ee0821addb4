/** The bytes of canonical Base64. Not every runtime has `atob` or `Uint8Array.fromBase64`. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const digit = (at: number) => DIGITS[text.charCodeAt(at)] ?? 0;
  for (let from = 0, to = 0; from < text.length; from += 4) {
    const high = (digit(from) << 18) | (digit(from + 1) << 12);
    const three = high | (digit(from + 2) << 6) | digit(from + 3);
    // Writes beyond the end of the array, for padding, have no effect.
    bytes[to++] = three >> 16;
    bytes[to++] = three >> 8;
    bytes[to++] = three;
  }
  return bytes;
}

/** The value of each digit by its character code. */
const DIGITS = new Uint8Array(128);
Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").forEach(
  (character, value) => {
    DIGITS[character.charCodeAt(0)] = value;
  },
);
