/**
 * What platforms offer in different ways: UTF-8, by `TextDecoder` and `TextEncoder`, and modules of Node.
 *
 * They are looked up on use, not on import, since jsdom has neither. wasm-bindgen's glue uses these classes too.
 */

type Platform = Partial<Pick<typeof globalThis, "TextDecoder" | "TextEncoder">>;

const platform = (): Platform =>
  (globalThis as Platform).TextDecoder ? globalThis : (nodeModule("node:util") ?? {});

/** Decodes UTF-8; throws if it is malformed. Keeps a byte order mark. */
export class Utf8Decoder {
  #decoder: TextDecoder | undefined;

  decode(bytes?: Uint8Array): string {
    if (!bytes) return ""; // The glue's first call, while the module is imported.
    const { TextDecoder } = platform();
    if (!TextDecoder) return decodeURIComponent(percent(bytes));
    this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
    return this.#decoder.decode(bytes);
  }
}

/** Encodes as UTF-8; half of a surrogate pair becomes U+FFFD. */
export class Utf8Encoder {
  #encoder: TextEncoder | undefined;

  encode(text: string): Uint8Array<ArrayBuffer> {
    const { TextEncoder } = platform();
    if (!TextEncoder) return unpercent(encodeURIComponent(text.replace(LONE, "\ufffd")));
    this.#encoder ??= new TextEncoder();
    // jsdom's realm has a Uint8Array other than that of Node's encoder.
    return new Uint8Array(this.#encoder.encode(text));
  }

  /** Encodes into `target`, which is long enough. */
  encodeInto(text: string, target: Uint8Array): { read: number; written: number } {
    const bytes = this.encode(text);
    target.set(bytes);
    return { read: text.length, written: bytes.length };
  }
}

/** With the flag `u`, halves of a pair match only on their own. */
const LONE = /[\ud800-\udfff]/gu;

/** Whether a text has half of a surrogate pair, which has no UTF-8. */
export const hasLoneSurrogate = (text: string): boolean => text.search(LONE) >= 0;

function percent(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += `%${byte.toString(16).padStart(2, "0")}`;
  return text;
}

function unpercent(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== "%") bytes.push(text.charCodeAt(at));
    else bytes.push(parseInt(text.slice(at + 1, (at += 2) + 1), 16));
  }
  return Uint8Array.from(bytes);
}

/** A module of Node, loaded without an import, which browsers' bundlers would follow; undefined elsewhere. */
export function nodeModule(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name);
}
