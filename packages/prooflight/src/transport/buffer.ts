/** A growable buffer for input that arrives in parts. */

/** Each chunk doubles the capacity, within these sizes. */
const MIN_CHUNK_BYTES = 4 * 1024;
const MAX_CHUNK_BYTES = 64 * 1024;

/**
 * Bytes that arrive in parts of any size.
 *
 * Parts are copied into chunks: an array per part would cost a hundred bytes for a part of one byte.
 */
export class ChunkedBuffer {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  /** The number of bytes so far. */
  length = 0;
  /** Bytes that are free in the last chunk. */
  #free = 0;

  /** Takes at most `maxBytes` bytes. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a part, which must not exceed the limit. Before it allocates, it awaits `grow` with the new capacity. */
  async add(part: Uint8Array, grow: (bytes: number) => Promise<void>): Promise<void> {
    for (let rest = part; rest.length > 0;) {
      if (this.#free === 0) await this.#addChunk(grow);
      const last = this.#chunks.at(-1);
      const fits = rest.subarray(0, this.#free);
      last?.set(fits, last.length - this.#free);
      rest = rest.subarray(fits.length);
      this.length += fits.length;
      this.#free -= fits.length;
    }
  }

  /** Moves the bytes into one array. */
  join(): Uint8Array<ArrayBuffer> {
    const joined = new Uint8Array(this.length);
    let end = 0;
    for (const chunk of this.#chunks.splice(0)) {
      joined.set(chunk.subarray(0, this.length - end), end);
      end += chunk.length;
    }
    return joined;
  }

  async #addChunk(grow: (bytes: number) => Promise<void>): Promise<void> {
    const size = Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, this.length));
    const bytes = Math.min(size, this.#maxBytes - this.length);
    await grow(this.length + bytes);
    this.#chunks.push(new Uint8Array(bytes));
    this.#free = bytes;
  }
}
