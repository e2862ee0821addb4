// Reads proof files: a claim, with its supposed proof.

import { fromHex, type VerifyError } from "prooflight";
import type { BatchInput, ErgoAdProofsInput } from "prooflight/avl";

import { withInputs } from "../../../test-vectors/schema/whole.mjs";
import { joinParts } from "./joined.js";
import { NotAProof } from "./not-a-proof.js";

/** A claim, in the form that the verifiers take. */
export type Claim = { title: string; origin: string | undefined } & (
  { kind: "ErgoAdProofs"; input: ErgoAdProofsInput } | { kind: "AvlBatch"; input: BatchInput }
);

/** A claim whose bytes are not decoded yet. */
export interface Statement {
  title: string;
  origin: string | undefined;
  kind: unknown;
  input: JsonObject;
  /** Whether it is a test of a vector file, in which long values may be written in parts. */
  isTest: boolean;
}

type JsonObject = Record<string, unknown>;

/**
 * The statements in a file: a single one from `{ scheme, kind, …input }` or from one test of a vector
 * file, or those of a whole vector file. Throws `NotAProof`.
 */
export function readStatements(text: string, fileName: string): [Statement, ...Statement[]] {
  const file = object(parse(text), "It");
  if (!("testGroups" in file)) return [readStatement(file, fileName, undefined)];
  const about = [file.origin, file.license].filter((text) => typeof text === "string");
  const origin = about.join(", ") || undefined;
  const statements = testGroups(file).flatMap((group) =>
    group.tests.map((test) => readStatement({ kind: group.type, ...test }, fileName, origin)),
  );
  const [first, ...others] = statements;
  if (!first) throw new NotAProof("It has no tests.");
  return [first, ...others];
}

/** Decodes a statement. Throws `NotAProof`. */
export function decode({ title, origin, kind, input, isTest }: Statement): Claim {
  if (kind !== "ErgoAdProofs" && kind !== "AvlBatch") {
    throw new NotAProof(
      `Its kind is ${JSON.stringify(kind)}; this page supports ErgoAdProofs and AvlBatch.`,
    );
  }
  const { ops, mode, valueLength, ...members } = isTest ? joinParts(input) : input;
  if (kind === "AvlBatch" && valueLength === undefined) {
    throw new NotAProof(
      "It has no valueLength: a number, or null if values have different lengths.",
    );
  }
  const decoded = {
    ...decodeBytes(members),
    operations: Array.isArray(ops) ? ops.map(decodeOperation) : ops,
    ...(mode === undefined ? {} : { mode }),
    ...(valueLength === undefined || valueLength === null ? {} : { valueLength }),
  };
  // The verifiers check the type of every member, and refuse unknown members.
  return { title, origin, kind, input: decoded } as unknown as Claim;
}

/** The groups of a vector file; inputs written as edits of others are resolved. */
function testGroups(file: JsonObject): { type: unknown; tests: JsonObject[] }[] {
  const groups = objects(file.testGroups, "testGroups").map(({ type, tests }) => {
    return { type, tests: objects(tests, "A group's tests") };
  });
  try {
    return withInputs({ testGroups: groups }).testGroups;
  } catch {
    throw new NotAProof("It has tests whose edits do not fit their base.");
  }
}

function readStatement(file: JsonObject, title: string, origin: string | undefined): Statement {
  const { scheme, kind, type, ...input } = file;
  if (scheme !== undefined && scheme !== "avl") {
    throw new NotAProof(`Its scheme is ${JSON.stringify(scheme)}; this page supports avl.`);
  }
  if ("edits" in input) {
    throw new NotAProof("It is written as edits of another test: choose the whole file.");
  }
  if (!("input" in input)) {
    return { title, origin, kind: kind ?? type ?? kindOf(input), input, isTest: false };
  }
  const { comment } = input;
  const inner = object(input.input, "The input");
  return {
    title: typeof comment === "string" ? comment : title,
    origin,
    kind: kind ?? type ?? kindOf(inner),
    input: inner,
    isTest: true,
  };
}

/** A test outside its group does not name its kind, but its members tell. */
function kindOf(input: JsonObject): string {
  if ("stateRoot" in input) return "ErgoAdProofs";
  if ("digest" in input) return "AvlBatch";
  throw new NotAProof('It has no "kind", so there is no telling what it claims.');
}

function decodeOperation(operation: unknown): unknown {
  if (typeof operation !== "object" || operation === null) return operation;
  const { op, delta, ...members } = operation as JsonObject;
  const decimal = typeof delta === "string" && /^(0|-?[1-9][0-9]{0,18})$/.test(delta);
  return {
    op,
    ...decodeBytes(members),
    ...(delta === undefined ? {} : { delta: decimal ? BigInt(delta) : delta }),
  };
}

function decodeBytes(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      typeof value === "string" ? decodeHex(name, value) : value,
    ]),
  );
}

function decodeHex(name: string, text: string): Uint8Array {
  try {
    return fromHex(text);
  } catch (error) {
    throw new NotAProof(`Its ${name} is not hexadecimal: ${(error as VerifyError).details.found}.`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NotAProof(`It is not JSON: ${(error as Error).message}.`);
  }
}

function objects(value: unknown, name: string): JsonObject[] {
  if (!Array.isArray(value)) throw new NotAProof(`${name} should be an array.`);
  return value.map((item) => object(item, `An item of ${name}`));
}

function object(value: unknown, name: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw new NotAProof(`${name} should be a JSON object.`);
}
