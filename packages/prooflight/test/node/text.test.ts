import { afterEach, describe, expect, test, vi } from "vitest";
import { hasLoneSurrogate, Utf8Decoder, Utf8Encoder } from "../../src/platform.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const TEXTS = [
  "",
  "plain",
  "% 25 %25",
  "ä€𝄞",
  "\ufeffmark",
  "\0\x7f\u0080\u07ff\u0800\uffff\u{10ffff}",
];

describe.each(["with the platform's", "without"])("UTF-8 %s TextDecoder and TextEncoder", (how) => {
  const prepare = () => {
    if (how !== "without") return;
    vi.stubGlobal("TextDecoder", undefined);
    vi.stubGlobal("TextEncoder", undefined);
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  };

  test.each(TEXTS)("%j comes back", (text) => {
    const expected = new TextEncoder().encode(text);
    prepare();
    expect([...new Utf8Encoder().encode(text)]).toEqual([...expected]);
    expect(new Utf8Decoder().decode(expected)).toBe(text);
    const target = new Uint8Array(expected.length + 2);
    expect(new Utf8Encoder().encodeInto(text, target).written).toBe(expected.length);
    expect([...target.subarray(0, expected.length)]).toEqual([...expected]);
  });

  test.each([
    [[0xff]],
    [[0xc0, 0x80]],
    [[0xed, 0xa0, 0x80]],
    [[0xe2, 0x82]],
    [[0xf5, 0x80, 0x80, 0x80]],
  ])("refuses %j", (bytes) => {
    prepare();
    expect(() => new Utf8Decoder().decode(Uint8Array.from(bytes))).toThrow();
  });

  test("half of a surrogate pair becomes the replacement character", () => {
    prepare();
    expect([...new Utf8Encoder().encode("a\ud834b")]).toEqual([0x61, 0xef, 0xbf, 0xbd, 0x62]);
  });
});

test("finds halves of surrogate pairs", () => {
  expect(["", "𝄞", "a\ud834", "\udd1e", "\udd1e\ud834"].map(hasLoneSurrogate)).toEqual([
    ...[false, false, true, true, true],
  ]);
});
