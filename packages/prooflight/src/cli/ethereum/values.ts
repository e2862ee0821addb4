/** Values of contracts, as users write them and as they are shown. */

import { refuse } from "../../error.js";
import { dim, type SafeText, text } from "../text.js";
import type { AbiType, AbiValue } from "./abi.js";
import { typeName } from "./abi.js";
import { Scanner } from "./scanner.js";
import { bytesText } from "./show.js";

/**
 * The value that an argument of the command writes: an integer in decimal or 0x-hex, `true` or `false`, bytes in 0x-hex,
 * a string, an array as `[1,2]`, a tuple as `(1,2)`. A string inside an array or a tuple may be quoted as in JSON.
 *
 * Throws `invalid_argument`. Whether the value is one of its type is checked when it is encoded.
 */
export function readValue(type: AbiType, word: string, name: string): AbiValue {
  if (type.kind !== "array" && type.kind !== "tuple") return readItem(type, word, name);
  const scanner = new Scanner(word, name);
  const value = readNested(type, scanner, name);
  scanner.end();
  return value;
}

/** An integer in decimal or 0x-hex; undefined if it is none. */
export function readInteger(word: string): bigint | undefined {
  const [, sign, digits] = /^(-?)([0-9]{1,78}|0x[0-9a-f]{1,64})$/i.exec(word) ?? [];
  if (digits === undefined) return undefined;
  return sign === "-" ? -BigInt(digits) : BigInt(digits);
}

function readNested(type: AbiType, scanner: Scanner, name: string): AbiValue {
  if (type.kind === "array") {
    return readList("[", "]", scanner, name, () => type.item);
  }
  if (type.kind === "tuple") {
    const { members } = type;
    return readList("(", ")", scanner, name, (index) => members[index]?.type);
  }
  if (type.kind === "string") {
    const quoted = scanner.matchAs(/"([^"\\]|\\.)*"/y, unquoted);
    if (quoted !== undefined) return quoted;
  }
  const word = scanner.match(/[^,[\]()"]*/y) ?? "";
  return readItem(type, word.trim(), name);
}

/** A list between brackets; `typeAt` has no type for an item that is too many. */
function readList(
  open: string,
  close: string,
  scanner: Scanner,
  name: string,
  typeAt: (index: number) => AbiType | undefined,
): AbiValue[] {
  const values: AbiValue[] = [];
  scanner.expect(open);
  if (scanner.take(close)) return values;
  do {
    const type = typeAt(values.length);
    if (!type) throw scanner.refusal(`"${close}" after ${values.length} items`);
    values.push(readNested(type, scanner, `${name}[${values.length}]`));
  } while (scanner.take(","));
  scanner.expect(close);
  return values;
}

function unquoted(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

function readItem(type: AbiType, word: string, name: string): AbiValue {
  if (type.kind === "bool") {
    if (word === "true" || word === "false") return word === "true";
    throw refuse("invalid_argument", `${name} to be true or false`, JSON.stringify(word));
  }
  if (type.kind !== "uint" && type.kind !== "int") return word;
  const value = readInteger(word);
  if (value !== undefined) return value;
  const expected = `${name} to be ${typeName(type)}, in decimal or 0x-hex`;
  throw refuse("invalid_argument", expected, JSON.stringify(word));
}

/** The most characters of an array or a tuple that are shown. `--json` prints all. */
const SHOWN_CHARACTERS = 512;

/** A value for people: large integers also by their powers of ten. */
export function valueText(type: AbiType, value: AbiValue): SafeText {
  if (typeof value === "bigint") {
    const rough = roughly(value);
    return rough === undefined ? text`${String(value)}` : text`${String(value)}  ${dim(rough)}`;
  }
  if (type.kind === "bytes") return bytesText(String(value));
  const whole = plainValue(type, value);
  const isLong = whole.length > SHOWN_CHARACTERS;
  return text`${isLong ? `${whole.slice(0, SHOWN_CHARACTERS)}…` : whole}`;
}

function plainValue(type: AbiType, value: AbiValue): string {
  if (type.kind === "string") return JSON.stringify(value);
  if (!Array.isArray(value)) return String(value);
  const values = value as readonly AbiValue[];
  if (type.kind === "tuple") {
    const members = type.members.map((member, index) => {
      const shown = plainValue(member.type, values[index] ?? "");
      return member.name === "" ? shown : `${member.name}: ${shown}`;
    });
    return `(${members.join(", ")})`;
  }
  const { item } = type as Extract<AbiType, { kind: "array" }>;
  return `[${values.map((value) => plainValue(item, value)).join(", ")}]`;
}

/** A large integer in four digits and a power of ten, rounded down: 4.996e15. */
function roughly(value: bigint): string | undefined {
  const digits = String(value < 0n ? -value : value);
  if (digits.length < 7) return undefined;
  const fraction = digits.slice(1, 4).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${digits[0]}${fraction && `.${fraction}`}e${digits.length - 1}`;
}
