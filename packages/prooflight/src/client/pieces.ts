/** Each piece doubles the capacity, within these sizes. */
const SMALLEST = 4 * 1024;
const LARGEST = 64 * 1024;

/**
 * Bytes that arrive in parts of any size.
 *
 * Parts are copied into pieces: an array per part would cost a hundred bytes for a part of one byte.
 */
export class Pieces {
  readonly #most: number;
  readonly #pieces: Uint8Array[] = [];
  /** The number of bytes so far. */
  length = 0;
  /** Bytes that are free in the last piece. */
  #free = 0;

  /** Takes at most `most` bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a part, which must not exceed the limit. Before it allocates, it awaits `grow` with the new capacity. */
  async add(part: Uint8Array, grow: (bytes: number) => Promise<void>): Promise<void> {
    for (let rest = part; rest.length > 0;) {
      if (this.#free === 0) await this.#addPiece(grow);
      const last = this.#pieces.at(-1);
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
    for (const piece of this.#pieces.splice(0)) {
      joined.set(piece.subarray(0, this.length - end), end);
      end += piece.length;
    }
    return joined;
  }

  async #addPiece(grow: (bytes: number) => Promise<void>): Promise<void> {
    const size = Math.max(SMALLEST, Math.min(LARGEST, this.length));
    const bytes = Math.min(size, this.#most - this.length);
    await grow(this.length + bytes);
    this.#pieces.push(new Uint8Array(bytes));
    this.#free = bytes;
  }
}
