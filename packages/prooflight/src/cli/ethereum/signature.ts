/** The signatures of functions, as users write them. */

import { describe, refuse } from "../../error.js";
import { type AbiParameter, type AbiType, typeName } from "./abi.js";
import { Scanner } from "./scanner.js";

/** A function of a contract. */
export interface Signature {
  /** Its name with the types of its parameters, from which its selector is computed. */
  canonical: string;
  inputs: readonly AbiParameter[];
  /** What it returns; undefined if that is not said. */
  outputs: readonly AbiParameter[] | undefined;
}

/** The most characters of a signature. */
const MAX_LENGTH = 1024;

/** The most arrays and tuples inside each other. */
const MAX_DEPTH = 8;

/**
 * Reads `balanceOf(address)(uint256)`: a name, the types of the parameters and, if the result is to be decoded, those of
 * the result. Types may have names, and `function`, `view` and `returns` may stand where Solidity has them. Throws
 * `invalid_argument`.
 */
export function readSignature(text: string): Signature {
  if (text.length > MAX_LENGTH) {
    const found = `${text.length} characters`;
    throw refuse("invalid_argument", `a SIGNATURE of at most ${MAX_LENGTH} characters`, found);
  }
  const scanner = new Scanner(text, "SIGNATURE");
  scanner.match(/function /y);
  const name = scanner.match(NAME);
  if (name === undefined) throw scanner.refusal("the name of a function");
  const inputs = readParameters(scanner);
  while (scanner.match(/(external|public|view|pure|payable|nonpayable)\b/y) !== undefined);
  const isNamed = scanner.match(/returns\b/y) !== undefined;
  const outputs = isNamed || scanner.isAt("(") ? readParameters(scanner) : undefined;
  scanner.end();
  return {
    canonical: `${name}(${inputs.map(({ type }) => typeName(type)).join(",")})`,
    inputs,
    outputs,
  };
}

const NAME = /[A-Za-z_$][\w$]*/y;

function readParameters(scanner: Scanner): AbiParameter[] {
  const parameters: AbiParameter[] = [];
  scanner.expect("(");
  if (scanner.take(")")) return parameters;
  do {
    parameters.push(readParameter(scanner));
  } while (scanner.take(","));
  scanner.expect(")");
  return parameters;
}

function readParameter(scanner: Scanner): AbiParameter {
  const type = readType(scanner);
  if (depthOf(type) > MAX_DEPTH) {
    const expected = `at most ${MAX_DEPTH} arrays and tuples inside each other`;
    throw refuse("invalid_argument", expected, describe(typeName(type)));
  }
  scanner.match(/(memory|calldata|payable)\b/y);
  return { type, name: scanner.match(NAME) ?? "" };
}

function readType(scanner: Scanner): AbiType {
  let type = readItem(scanner);
  while (scanner.take("[")) {
    const length = scanner.match(/[1-9][0-9]{0,8}/y);
    scanner.expect("]");
    type = { kind: "array", item: type, length: length === undefined ? undefined : Number(length) };
  }
  return type;
}

function readItem(scanner: Scanner): AbiType {
  scanner.match(/tuple(?=\()/y);
  if (scanner.isAt("(")) {
    const members = readParameters(scanner);
    // Values that take no bytes could be any number of times in a result.
    if (members.length === 0) throw scanner.refusal("a tuple that is not empty before this");
    return { kind: "tuple", members };
  }
  const type = scanner.matchAs(/[a-z]+[0-9]*/y, elementary);
  if (type) return type;
  throw scanner.refusal("a type, such as uint256, address, bytes32 or (bool,string)[]");
}

/** The type with a name; undefined if there is none. */
function elementary(name: string): AbiType | undefined {
  if (name === "address" || name === "bool" || name === "string") return { kind: name };
  const [, kind, digits = ""] = /^(uint|int|bytes)(|[1-9][0-9]{0,2})$/.exec(name) ?? [];
  if (kind === undefined) return undefined;
  const size = digits === "" ? undefined : Number(digits);
  if (kind === "bytes") return size !== undefined && size > 32 ? undefined : { kind, length: size };
  const bits = size ?? 256;
  return bits > 256 || bits % 8 !== 0 ? undefined : { kind: kind as "uint" | "int", bits };
}

function depthOf(type: AbiType): number {
  if (type.kind === "array") return 1 + depthOf(type.item);
  if (type.kind !== "tuple") return 0;
  return 1 + Math.max(...type.members.map(({ type }) => depthOf(type)));
}
