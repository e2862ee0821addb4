/** Bytes whose buffer is gone, or has shrunk away under them, are refused by every function that takes bytes. */

import { beforeAll, describe, expect, test } from "vitest";

import * as main from "../src/index.js";
import { init as initEthereum } from "../src/ethereum.js";
import { init as initLvmt } from "../src/lvmt.js";
import {
  changed,
  modules,
  nameOf,
  OTHERS,
  outcome,
  type Place,
  placesOf,
  takers,
} from "./takers.js";

beforeAll(() => Promise.all([main.init(), initLvmt(), initEthereum()]));

test("every function of the package is known to take bytes or integers, or neither", () => {
  const names = Object.values(modules).flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (typeof value === "function" ? name : [])),
  );
  const known = [...OTHERS, ...Object.keys(takers).map((name) => name.split(/[ .]/)[0])];
  expect([...new Set(names)].sort()).toEqual([...new Set(known)].sort());
});

interface Resizable extends ArrayBuffer {
  resize(length: number): void;
}

type Buffers<T> = new (length: number, options: { maxByteLength: number }) => T;

/** A buffer that can be resized. TypeScript's ES2022 does not know them. */
const resizable = (length: number) =>
  new (ArrayBuffer as unknown as Buffers<Resizable>)(length, { maxByteLength: 2 * length + 64 });

/** The bytes in a view that `view` makes of a buffer which then shrinks to a length. */
const shrunk =
  (length: number, view: (buffer: Resizable, length: number) => Uint8Array) =>
  (bytes: Uint8Array) => {
    const buffer = resizable(8 + bytes.length);
    const made = view(buffer, bytes.length);
    made.set(bytes);
    buffer.resize(length);
    return made;
  };

const fixed = (buffer: Resizable, length: number) => new Uint8Array(buffer, 8, length);
const tracking = (buffer: Resizable) => new Uint8Array(buffer, 8);
const fromStart = (buffer: Resizable) => new Uint8Array(buffer);
const saying = (buffer: Resizable, length: number) => {
  const members = { length: { value: length }, byteLength: { value: length } };
  return Object.defineProperties(fixed(buffer, length), members);
};
const subclass = (buffer: Resizable, length: number) =>
  new (class Bytes extends Uint8Array {})(buffer, 8, length);

const GONE: [string, (bytes: Uint8Array) => Uint8Array][] = [
  [
    "whose buffer is detached",
    (bytes) => {
      const gone = Uint8Array.from(bytes);
      structuredClone(gone.buffer, { transfer: [gone.buffer] });
      return gone;
    },
  ],
  ["that end beyond the end", shrunk(9, fixed)],
  ["that begin at the end", shrunk(8, fixed)],
  ["that begin beyond the end", shrunk(4, fixed)],
  ["whose buffer is empty", shrunk(0, fixed)],
  ["that follow the buffer, and begin beyond its end", shrunk(4, tracking)],
  ["that follow the buffer, and begin at its end", shrunk(8, tracking)],
  ["that follow the buffer, which is empty", shrunk(0, fromStart)],
  ["of a subclass", shrunk(4, subclass)],
  ["that say another length", shrunk(4, saying)],
];

const isBytes = (value: unknown) => value instanceof Uint8Array;

const bytesAt = (given: unknown, place: Place) =>
  place.reduce(
    (value, member) => Reflect.get(value as object, member) as unknown,
    given,
  ) as Uint8Array;

const withBytes = Object.entries(takers).filter(
  ([, [, honest]]) => placesOf(honest, isBytes).length > 0,
);

describe.each(withBytes)("%s", (_, [given, honest]) => {
  const call = given as (input: unknown) => unknown;
  const places = placesOf(honest, isBytes);

  test.each(GONE)("refuses bytes %s", async (_, gone) => {
    for (const place of places) {
      const input = changed(honest, place, gone(bytesAt(honest, place)));
      const refused = (await outcome(() => call(input))) as main.VerifyError & { expected: string };
      expect(refused, place.join(".")).toMatchObject({
        ...{ code: "invalid_input", reason: "invalid_argument" },
      });
      expect(refused.expected).toContain(nameOf(place));
    }
  });

  test("takes bytes of any buffer that has them", async () => {
    const expected = await outcome(() => call(honest));
    const { SharedArrayBuffer } = globalThis as { SharedArrayBuffer?: unknown };
    const growable = (bytes: Uint8Array, length?: number) => {
      const shared = SharedArrayBuffer as Buffers<SharedArrayBuffer>;
      const buffer = new shared(8 + bytes.length, { maxByteLength: 128 + bytes.length });
      const view = new Uint8Array(buffer, 8, length);
      view.set(bytes);
      return view;
    };
    const ways: ((bytes: Uint8Array) => Uint8Array)[] = [
      (bytes) => shrunk(8 + bytes.length, fixed)(bytes),
      (bytes) => shrunk(8 + bytes.length, tracking)(bytes),
      (bytes) => shrunk(8 + bytes.length, subclass)(bytes),
      ...(SharedArrayBuffer === undefined
        ? []
        : [
            (bytes: Uint8Array) => growable(bytes),
            (bytes: Uint8Array) => growable(bytes, bytes.length),
          ]),
    ];
    for (const way of ways) {
      const all = places.reduce(
        (input, place) => changed(input, place, way(bytesAt(honest, place))),
        honest,
      );
      expect(await outcome(() => call(all))).toEqual(expected);
    }
  });
});

test("a DataView is no bytes, whatever it says", () => {
  const view = new DataView(new ArrayBuffer(32));
  Object.defineProperty(view, Symbol.toStringTag, { value: "Uint8Array" });
  expect(() => main.toHex(view as never)).toThrow(main.VerifyError);
});

test("an empty view of a buffer that has its bytes is empty bytes", () => {
  expect(main.toHex(new Uint8Array())).toBe("0x");
  expect(main.toHex(new Uint8Array(resizable(8), 4, 0))).toBe("0x");
  expect(main.toHex(new Uint8Array(new ArrayBuffer(8), 8))).toBe("0x");
});
