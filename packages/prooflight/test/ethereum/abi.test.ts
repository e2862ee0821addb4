/** The encoding of contracts' values, against that of ethers. */

import { AbiCoder, FunctionFragment, getAddress } from "ethers";
import { describe, expect, test } from "vitest";

import {
  type AbiParameter,
  type AbiType,
  type AbiValue,
  decode,
  encode,
  typeName,
} from "../../src/cli/ethereum/abi.js";
import { readSignature } from "../../src/cli/ethereum/signature.js";
import { readValue, valueText } from "../../src/cli/ethereum/values.js";
import { plain } from "../../src/cli/text.js";
import { VerifyError } from "../../src/error.js";
import { refusal } from "../refusal.js";
import { seededRandom } from "./lies.js";

type Hex = `0x${string}`;

const ROUNDS = 500;
const coder = AbiCoder.defaultAbiCoder();
const random = seededRandom();
const below = (count: number) => Math.floor(random() * count);
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const hexOf = (count: number): Hex =>
  `0x${times(count, () => below(256).toString(16).padStart(2, "0")).join("")}`;

/** A type of at most so many arrays and tuples inside each other. */
function randomType(depth: number): AbiType {
  const kind = pick(["uint", "int", "address", "bool", "string", "bytes", "array", "tuple"]);
  switch (depth === 0 && (kind === "array" || kind === "tuple") ? "uint" : kind) {
    case "uint":
    case "int":
      return { kind: kind === "int" ? kind : "uint", bits: 8 * (1 + below(32)) };
    case "bytes":
      return { kind: "bytes", length: pick([undefined, 1 + below(32)]) };
    case "array":
      return {
        kind: "array",
        item: randomType(depth - 1),
        length: pick([undefined, 1 + below(3)]),
      };
    case "tuple":
      return { kind: "tuple", members: randomParameters(1 + below(3), depth - 1) };
    default:
      return { kind: kind as "address" | "bool" | "string" };
  }
}

const randomParameters = (count: number, depth: number): AbiParameter[] =>
  times(count, () => ({ type: randomType(depth), name: pick(["", "a", "value_1"]) }));

const TEXTS = [
  "",
  "a",
  "USD Coin",
  "größer als 32 Bytes, ja wirklich: größer",
  'a "b", \\ (c] ',
  "✔",
];

function randomValue(type: AbiType): AbiValue {
  switch (type.kind) {
    case "uint":
    case "int": {
      const top = 1n << BigInt(type.kind === "int" ? type.bits - 1 : type.bits);
      const value = pick([0n, 1n, top - 1n, BigInt(hexOf(32)) % top]);
      return type.kind === "int" ? pick([value, -value, -top]) : value;
    }
    case "address":
      return hexOf(20);
    case "bool":
      return pick([true, false]);
    case "string":
      return pick(TEXTS);
    case "bytes":
      return hexOf(type.length ?? pick([0, 1, 31, 32, 33, 100]));
    case "array":
      return times(type.length ?? below(4), () => randomValue(type.item));
    case "tuple":
      return type.members.map(({ type }) => randomValue(type));
  }
}

/** What ethers found, in our form. */
function oursOf(type: AbiType, value: unknown): AbiValue {
  if (type.kind === "address") return String(value).toLowerCase();
  if (type.kind === "array")
    return Array.from(value as unknown[], (item) => oursOf(type.item, item));
  if (type.kind !== "tuple") return value as AbiValue;
  return type.members.map(({ type }, index) => oursOf(type, (value as unknown[])[index]));
}

/** A value as a user may write it. */
function written(type: AbiType, value: AbiValue, isNested = false): string {
  const gap = () => pick(["", " "]);
  if (typeof value === "bigint") {
    return value >= 0n ? pick([String(value), `0x${value.toString(16)}`]) : String(value);
  }
  if (type.kind === "string") return isNested ? JSON.stringify(value) : String(value);
  if (!Array.isArray(value)) return String(value);
  const items = (value as AbiValue[]).map((item, index) => {
    const inner =
      type.kind === "tuple" ? type.members[index]?.type : (type as { item: AbiType }).item;
    return gap() + written(inner ?? type, item, true) + gap();
  });
  return type.kind === "tuple" ? `(${items.join(",")})` : `[${items.join(",")}]`;
}

const namesOf = (parameters: readonly AbiParameter[]) =>
  parameters.map(({ type }) => typeName(type));

/** A type with the names of all its parameters. */
const withNames = ({ type, name }: AbiParameter): string => `${namedType(type)} ${name}`.trim();

function namedType(type: AbiType): string {
  if (type.kind === "array") return `${namedType(type.item)}[${type.length ?? ""}]`;
  if (type.kind !== "tuple") return typeName(type);
  return `${pick(["", "tuple"])}(${type.members.map(withNames).join(",")})`;
}

interface Example {
  parameters: AbiParameter[];
  values: AbiValue[];
  encoded: Hex;
}

/** Random values, as ethers encodes them. */
const examples = times(ROUNDS, (): Example => {
  const parameters = randomParameters(below(5), 4);
  const values = parameters.map(({ type }) => randomValue(type));
  return { parameters, values, encoded: coder.encode(namesOf(parameters), values) as Hex };
});

describe("random types and values", () => {
  test("are encoded and decoded as ethers does", () => {
    for (const { parameters, values, encoded } of examples) {
      const names = namesOf(parameters).join(",");
      expect(encode(parameters, values), names).toBe(encoded);
      expect(decode(parameters, encoded), names).toEqual(values);
    }
  });

  test("are read as users write them", () => {
    for (const { parameters, values } of examples) {
      const written_ = parameters.map(({ type }, index) => written(type, values[index] ?? ""));
      const read = parameters.map(({ type }, index) => readValue(type, written_[index] ?? "", "x"));
      expect(read, written_.join(" ")).toEqual(values);
    }
  });

  test("have the signature that ethers gives them", () => {
    for (const { parameters } of examples) {
      const text = `f(${parameters.map(withNames).join(pick([",", ", "]))})`;
      const outputs = pick(["", "(uint8)", " view returns (uint8)"]);
      const signature = readSignature(`${pick(["", "function "])}${text}${outputs}`);
      expect(signature.canonical).toBe(FunctionFragment.from(text).format("sighash"));
      expect(signature.inputs).toEqual(parameters);
      const uint8 = { type: { kind: "uint", bits: 8 }, name: "" };
      expect(signature.outputs).toEqual(outputs === "" ? undefined : [uint8]);
    }
  });

  test("with changed bytes are refused, or are what ethers decodes", () => {
    let refused = 0;
    for (const { parameters, encoded } of examples) {
      if (encoded === "0x") continue;
      const names = namesOf(parameters).join(",");
      for (const changed of times(20, () => damaged(encoded))) {
        let found: AbiValue[];
        try {
          found = decode(parameters, changed);
        } catch (error) {
          if (!(error instanceof VerifyError)) throw error;
          expect(error.reason).toBe("invalid_argument");
          refused += 1;
          continue;
        }
        // ethers wants the last word filled up.
        const filled = changed.padEnd(2 + 64 * Math.ceil((changed.length - 2) / 64), "0");
        const theirs = coder.decode(namesOf(parameters), filled).toArray() as unknown[];
        const expected = parameters.map(({ type }, index) => oursOf(type, theirs[index]));
        expect(found, `${names}: ${changed}`).toEqual(expected);
      }
    }
    expect(refused).toBeGreaterThan(ROUNDS);
  });
});

/** An encoding with a byte changed, removed or added. */
function damaged(encoded: Hex): Hex {
  const bytes = Buffer.from(encoded.slice(2), "hex");
  const at = pick([below(bytes.length), 31 + 32 * below(bytes.length / 32)]);
  const kind = below(4);
  if (kind === 0) return `0x${bytes.subarray(0, at).toString("hex")}`;
  if (kind === 1) return `0x${bytes.toString("hex")}${hexOf(pick([1, 32])).slice(2)}`;
  bytes[at] = kind === 2 ? below(256) : ((bytes[at] ?? 0) + pick([32, 224, 1, 255])) % 256;
  return `0x${bytes.toString("hex")}`;
}

/** The types of a signature. */
const types = (text: string) => readSignature(`f(${text})`).inputs;

function typeOf(text: string): AbiType {
  const [parameter] = types(text);
  if (!parameter) throw new Error("no type");
  return parameter.type;
}

const word = (value: bigint | number) =>
  BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");
const words = (...values: (bigint | number)[]): Hex => `0x${values.map(word).join("")}`;

describe("a signature", () => {
  test.each([
    ["nothing", "", /the name of a function in SIGNATURE, found its end/],
    ["a name alone", "balanceOf", /"\(" in SIGNATURE, found its end/],
    ["no name", "(address)", /the name of a function/],
    ["an unknown type", "f(uint257)", /a type, such as .*, found "uint257\)"/],
    ["bits that are no bytes", "f(uint12)", /a type, such as/],
    ["33 bytes", "f(bytes33)", /a type, such as/],
    ["no bytes", "f(bytes0)", /a type, such as/],
    ["a type with a capital", "f(Address)", /a type, such as/],
    ["an empty tuple", "f(())", /a tuple that is not empty/],
    ["an array of length 0", "f(uint8[0])", /"\]" in SIGNATURE, found "0\]\)"/],
    ["an open array", "f(uint8[)", /"\]" in SIGNATURE/],
    ["an open list", "f(uint8", /"\)" in SIGNATURE, found its end/],
    ["a comma too many", "f(uint8,)", /a type, such as/],
    ["something after it", "f(uint8)(uint8)(uint8)", /its end in SIGNATURE, found "\(uint8\)"/],
    ["nine arrays inside each other", `f(uint8${"[]".repeat(9)})`, /at most 8 arrays and tuples/],
    ["nine tuples inside each other", `f(${"(".repeat(9)}bool${")".repeat(9)})`, /at most 8/],
    ["thousands of brackets", `f(${"(".repeat(5000)}`, /at most 1024 characters, found 5002/],
  ])("with %s is refused", (_, text, problem) => {
    const error = refusal(() => readSignature(text));
    expect(error.reason).toBe("invalid_argument");
    expect(error.message).toMatch(problem);
  });

  test("may have eight arrays and tuples inside each other", () => {
    const type = `${"(".repeat(4)}bool${")".repeat(4)}${"[]".repeat(4)}`;
    expect(readSignature(`f(${type})`).canonical).toBe(`f(${type})`);
  });

  test("has short names of types, and names of parameters", () => {
    const text =
      "function f(uint a, int[2] memory b, tuple(bytes c) d) external view returns (string e)";
    const { canonical, inputs, outputs } = readSignature(text);
    expect(canonical).toBe("f(uint256,int256[2],(bytes))");
    expect(inputs.map(({ name }) => name)).toEqual(["a", "b", "d"]);
    expect(outputs).toEqual([{ type: { kind: "string" }, name: "e" }]);
    expect(readSignature("f()()").outputs).toEqual([]);
  });
});

describe("an argument", () => {
  test.each([
    ["256 for uint8", "uint8", "256", /argument 1 to be uint8, an integer of 0 to 2\^8 - 1/],
    ["-1 for uint8", "uint8", "-1", /an integer of 0 to/],
    ["128 for int8", "int8", "128", /int8, an integer of -2\^7 to 2\^7 - 1/],
    ["-129 for int8", "int8", "-129", /int8, an integer/],
    ["a word for an integer", "uint256", "one", /uint256, in decimal or 0x-hex, found "one"/],
    ["a fraction", "uint256", "1.5", /in decimal or 0x-hex/],
    ["nothing for an integer", "uint256", "", /in decimal or 0x-hex/],
    ["an integer of hundreds of digits", "uint256", "9".repeat(300), /in decimal or 0x-hex/],
    ["19 bytes for an address", "address", `0x${"11".repeat(19)}`, /address, 20 bytes in 0x-hex/],
    ["a name for an address", "address", "vitalik.eth", /address, 20 bytes/],
    ["yes for a bool", "bool", "yes", /true or false, found "yes"/],
    ["half a byte", "bytes", "0x123", /bytes, bytes in 0x-hex/],
    ["bytes without 0x", "bytes", "1234", /bytes in 0x-hex/],
    ["three bytes for four", "bytes4", "0x123456", /bytes4, 4 bytes in 0x-hex/],
    ["three items for two", "uint8[2]", "[1,2,3]", /2 items of argument 1, found 3/],
    ["no array for one", "uint8[]", "1", /"\[" in argument 1, found "1"/],
    ["an array for a tuple", "(uint8,bool)", "[1,true]", /"\(" in argument 1/],
    ["one item for a tuple of two", "(uint8,bool)", "(1)", /2 items of argument 1, found 1/],
    [
      "three items for a tuple of two",
      "(uint8,bool)",
      "(1,true,2)",
      /"\)" after 2 items in argument/,
    ],
    ["an open array", "uint8[]", "[1,2", /"\]" in argument 1, found its end/],
    ["something after an array", "uint8[]", "[1]2", /its end in argument 1, found "2"/],
    ["a wrong item", "uint8[][]", "[[1],[2,256]]", /argument 1\[1\]\[1\] to be uint8/],
    [
      "an item that is no integer",
      "(uint8[],bool)",
      "([x],true)",
      /argument 1\[0\]\[0\] to be uint8/,
    ],
    ["an open quote", "string[]", '["a]', /"\]" in argument 1/],
  ])("of %s is refused", (_, type, text, problem) => {
    const parameters = types(type);
    const error = refusal(() => {
      const [{ type }] = parameters as [AbiParameter];
      encode(parameters, [readValue(type, text, "argument 1")]);
    });
    expect(error.reason).toBe("invalid_argument");
    expect(error.message).toMatch(problem);
  });

  test("that is missing, or too many, is refused", () => {
    expect(refusal(() => encode(types("uint8,bool"), [1n])).message).toMatch(
      /2 arguments of the signature, found 1$/,
    );
    expect(refusal(() => encode([], [1n])).reason).toBe("invalid_argument");
  });

  test("that is a string is taken as it is, and inside a list with or without quotes", () => {
    const read = (type: string, text: string) => readValue(typeOf(type), text, "x");
    expect(read("string", ' "a" ')).toBe(' "a" ');
    expect(read("string[]", "[a b, c,]")).toEqual(["a b", "c", ""]);
    expect(read("string[]", "[]")).toEqual([]);
    expect(read("(string,string)", '("a,\\"]","✔ ")')).toEqual(['a,"]', "✔ "]);
    expect(read("address[]", `[${getAddress(`0x${"ab".repeat(20)}`)}]`)).toHaveLength(1);
  });
});

describe("a result", () => {
  test.each<[string, string, Hex, RegExp]>([
    ["nothing for an integer", "uint256", "0x", /only 0 bytes, of which 32 are needed/],
    ["half a word", "uint256", `0x${"00".repeat(31)}`, /only 31 bytes/],
    ["a word too many", "uint256", words(1, 2), /32 of 64 bytes left over/],
    ["256 for uint8", "uint8", words(256), /256 at byte 0 for uint8/],
    ["128 for int8", "int8", words(128), /128 at byte 0 for int8/],
    ["-129 for int8", "int8", words(-129), /-129 at byte 0 for int8/],
    ["2 for bool", "bool", words(2), /2 at byte 0 for bool/],
    ["21 bytes for an address", "address", words(1n << 160n), /for address/],
    ["five bytes for four", "bytes4", `0x${"11".repeat(5)}${"00".repeat(27)}`, /for bytes4/],
    ["an offset out of bounds", "bytes", words(96, 0), /an offset of 96 at byte 0 of 64/],
    ["a huge offset", "bytes", words((1n << 256n) - 32n, 0), /an offset of 1157/],
    ["a length out of bounds", "bytes", words(32, 33, 0), /only 96 bytes, of which 97/],
    ["a huge length", "string", words(32, 1n << 255n), /a length of 578/],
    ["items out of bounds", "uint8[]", words(32, 2, 1), /2 items of uint8 at byte 64 of 96/],
    ["2^64 items", "uint8[]", words(32, 1n << 64n), /a length of 18446744073709551616/],
    ["many items of many bytes", "uint8[999999999][]", words(32, 1, 0), /1 items of/],
    [
      "many items of fixed length",
      `bool${"[999999999]".repeat(8)}`,
      words(0),
      /999999999 items of/,
    ],
    ["a string that is not UTF-8", "string", `${words(32, 1)}ff${"00".repeat(31)}`, /not UTF-8/],
  ])("of %s is refused", (_, type, data, problem) => {
    const error = refusal(() => decode(types(type), data));
    expect(error.reason).toBe("invalid_argument");
    expect(error.message).toMatch(/return types that fit what the contract returned/);
    expect(error.message).toMatch(problem);
  });

  test("whose offsets lead to the same bytes again and again is refused", () => {
    // Each array has 100 items, all of which are the next array: 100^4 integers.
    const level = (at: number) => [100, ...Array<number>(100).fill(100 * 32 + at)];
    const data = words(
      32,
      ...level(0),
      ...level(0),
      ...level(0),
      100,
      ...Array<number>(100).fill(1),
    );
    const error = refusal(() => decode(types("uint8[][][][]"), data));
    expect(error.message).toMatch(/more than 8388608 bytes to read/);
  });

  test("may lack what fills up the last word", () => {
    expect(decode(types("string"), `${words(32, 2)}6869`)).toEqual(["hi"]);
    expect(decode([], "0x")).toEqual([]);
    expect(refusal(() => decode([], "0x00")).message).toMatch(/1 of 1 bytes left over/);
  });

  test.each<[string, AbiValue, string]>([
    ["uint256", 4996047993898814n, "4996047993898814  4.996e15"],
    ["uint256", 123456n, "123456"],
    ["int256", -1000000n, "-1000000  -1e6"],
    ["string", 'a"\n✔', '"a\\"\\n\\u2714"'],
    ["bytes", "0x1234", "0x1234  2 bytes"],
    ["(uint8 a,string[])[]", [[1n, ["x"]]], '[(a: 1, ["x"])]'],
    ["bool[]", Array<AbiValue>(200).fill(true), `${`[${"true, ".repeat(200)}`.slice(0, 512)}…`],
  ])("of %s is shown", (type, value, shown) => {
    expect(plain(valueText(typeOf(type), value))).toBe(shown);
  });
});
