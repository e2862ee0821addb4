/** Where the hash-based binary is, for this engine: a file: URL in Node, one of the server in a browser. */
export const wasmUrl = new URL("../dist/wasm/prooflight-hash.wasm", import.meta.url);

/** The bytes behind a URL, in Node and in browsers. */
export async function fromFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  if (url.protocol !== "file:") return new Uint8Array(await (await fetch(url)).arrayBuffer());
  const { readFile } = await import("node:fs/promises");
  return new Uint8Array(await readFile(url));
}

const MEMORY_SECTION = 5;

/**
 * The same binary with a memory that cannot grow beyond `pages` more than it starts with.
 *
 * What needs more traps, as on a machine that has no more.
 */
export function limitMemory(wasm: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  let at = 8;
  while (wasm[at] !== MEMORY_SECTION) {
    const [size, start] = readLeb(wasm, at + 1);
    at = start + size;
  }
  const [size, start] = readLeb(wasm, at + 1);
  // One memory, no flags (so no maximum), its first number of pages.
  if (wasm[start] !== 1 || wasm[start + 1] !== 0)
    throw new Error("not the memory that was expected");
  const [initial] = readLeb(wasm, start + 2);
  const memory = [1, 1, ...leb(initial), ...leb(initial + pages)];
  return Uint8Array.from([
    ...wasm.subarray(0, at + 1),
    ...leb(memory.length),
    ...memory,
    ...wasm.subarray(start + size),
  ]);
}

/** An unsigned LEB128 number, and where it ends. */
function readLeb(bytes: Uint8Array, at: number): [value: number, end: number] {
  const byte = bytes[at] ?? 0;
  if (byte < 0x80) return [byte, at + 1];
  const [high, end] = readLeb(bytes, at + 1);
  return [high * 0x80 + (byte - 0x80), end];
}

function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...leb(Math.floor(value / 0x80))];
}
