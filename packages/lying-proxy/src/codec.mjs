// Formats of bytes. Each is described once, for reading and for writing.

/**
 * @template T
 * @typedef {{ read: (from: ByteReader) => T, write: (value: T) => Buffer[] }} Format
 */

/** Reads bytes from the first to the last. */
export class ByteReader {
  at = 0;
  #bytes;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get isEmpty() {
    return this.at === this.#bytes.length;
  }

  take(length) {
    if (this.at + length > this.#bytes.length) throw new RangeError("the bytes are too few");
    return this.#bytes.subarray(this.at, (this.at += length));
  }

  /** What was read since the reader was at `start`. */
  since(start) {
    return this.#bytes.subarray(start, this.at);
  }
}

const number = (length, kind) => ({
  read: (from) => from.take(length)[`read${kind}`](),
  write: (value) => {
    const bytes = Buffer.alloc(length);
    bytes[`write${kind}`](value);
    return [bytes];
  },
});

export const u8 = number(1, "UInt8");
export const u16 = number(2, "UInt16LE");
export const u32 = number(4, "UInt32LE");
export const u32BigEndian = number(4, "UInt32BE");
export const u64 = number(8, "BigUInt64LE");

/** Seven bits a byte, the lowest first. */
export const integer = {
  read: (from) => {
    const [byte] = from.take(1);
    return byte < 0x80 ? byte : byte - 0x80 + 0x80 * integer.read(from);
  },
  write: (value) => {
    const bytes = [];
    for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) + 0x80);
    return [Buffer.of(...bytes, value)];
  },
};

export const bytes = (length) => ({
  read: (from) => from.take(length),
  write: (value) => [value],
});

/** Bytes after their number. */
export const string = (length = u32) => ({
  read: (from) => from.take(length.read(from)),
  write: (value) => [...length.write(value.length), value],
});

export const list = (item) => ({
  read: (from) => Array.from({ length: u32.read(from) }, () => item.read(from)),
  write: (items) => [...u32.write(items.length), ...items.flatMap(item.write)],
});

/** An object's members, one after another. */
export const record = (members) => ({
  read: (from) =>
    Object.fromEntries(Object.entries(members).map(([name, { read }]) => [name, read(from)])),
  write: (value) => Object.entries(members).flatMap(([name, { write }]) => write(value[name])),
});

/** A value after a byte 1; a byte 0 for undefined. */
export const optional = (format) => ({
  read: (from) => (u8.read(from) === 1 ? format.read(from) : undefined),
  write: (value) => (value === undefined ? [Buffer.of(0)] : [Buffer.of(1), ...format.write(value)]),
});

/** An object's members after the number of its kind, which the member `tag` names. */
export const variant = (tag, kinds) => {
  const names = Object.keys(kinds);
  const formats = Object.values(kinds).map(record);
  return {
    read: (from) => {
      const kind = u8.read(from);
      return { [tag]: names[kind], ...formats[kind].read(from) };
    },
    write: (value) => {
      const kind = names.indexOf(value[tag]);
      return [Buffer.of(kind), ...formats[kind].write(value)];
    },
  };
};

/** Reads and writes whole bytes of a format, after an envelope of these bytes. */
export const codec = (format, ...envelope) => ({
  read: (encoded) => format.read(new ByteReader(encoded.subarray(envelope.length))),
  write: (value) => Buffer.concat([Buffer.of(...envelope), ...format.write(value)]),
});
