import { describe, refuse } from "../error.js";
import { type Json, parseJson } from "../statement/json.js";

/** What is needed of a vector file to run it; `test-vectors/schema` has the whole form. */
export interface VectorFile {
  testGroups: { type: string; tests: Test[] }[];
}

/** One test of a vector file. */
export interface Test {
  tcId: number;
  comment: string;
  input: unknown;
  result: "valid" | "invalid";
  expected?: Record<string, Json>;
  expectedError?: string;
  expectedReason?: string;
}

const SCHEMA = "schema/vectors_v1.json";

const FILE = ["schema", "scheme", "origin", "license", "numberOfTests", "notes", "testGroups"];
const GROUP = ["type", "tests"];
const TEST = ["tcId", "comment", "flags", "input", "result"];
const EXPECTATIONS = { valid: ["expected"], invalid: ["expectedError", "expectedReason"] };

/**
 * Reads a vector file, given as its text.
 *
 * Throws `invalid_argument` if it is not one, has no tests, not as many as it says, or two of one
 * number; also if it has a member that a file does not have: a misspelt expectation would be one
 * that nobody checks.
 */
export function parseVectors(text: string): VectorFile {
  const file = parseJson(text, "a vector file");
  check(isObject(file), "an object", file);
  checkMembers(file, FILE);
  check(file["schema"] === SCHEMA, `the schema ${SCHEMA}`, file["schema"]);
  const groups = file["testGroups"];
  check(Array.isArray(groups), "testGroups, an array", groups);
  const numbers = new Set<number>();
  let count = 0;
  for (const group of groups as unknown[]) {
    check(isObject(group), "a group, an object", group);
    checkMembers(group, GROUP);
    check(typeof group["type"] === "string", "a group's type, a string", group["type"]);
    const tests = group["tests"];
    check(Array.isArray(tests), "a group's tests, an array", tests);
    for (const test of tests as unknown[]) {
      checkTest(test);
      check(!numbers.has(test.tcId), "one test of each tcId", test.tcId);
      numbers.add(test.tcId);
      count += 1;
    }
  }
  check(count > 0, "at least one test", 0);
  check(file["numberOfTests"] === count, `numberOfTests: ${count}`, file["numberOfTests"]);
  return file as unknown as VectorFile;
}

function checkTest(test: unknown): asserts test is Test {
  check(isObject(test), "a test, an object", test);
  check(Number.isInteger(test["tcId"]), "a test's tcId, an integer", test["tcId"]);
  check(typeof test["comment"] === "string", "a test's comment, a string", test["comment"]);
  check("input" in test, "a test's input", undefined);
  const { result, expected, expectedError, expectedReason } = test;
  check(result === "valid" || result === "invalid", "the result valid or invalid", result);
  checkMembers(test, [...TEST, ...EXPECTATIONS[result]]);
  check(expected === undefined || isObject(expected), "expected, an object", expected);
  for (const name of [expectedError, expectedReason]) {
    check(name === undefined || typeof name === "string", "a code or reason, a string", name);
  }
}

function checkMembers(object: object, known: readonly string[]): void {
  const stranger = Object.keys(object).find((member) => !known.includes(member));
  check(stranger === undefined, `no members but ${known.join(", ")}`, stranger);
}

function check(holds: boolean, expected: string, found: unknown): asserts holds {
  if (!holds) throw refuse("invalid_argument", `a vector file with ${expected}`, describe(found));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
