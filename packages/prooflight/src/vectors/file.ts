import { describe, refuse } from "../error.js";
import { type Json, parseJson } from "../statement/json.js";
import { applyEdits, isObject } from "./edits.js";
import { joinAll } from "./joined.js";

/** The parts of a vector file that are needed to run it; `test-vectors/schema` has the complete form. */
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
const TEST = ["tcId", "comment", "flags", "result"];
const INPUT = ["input"];
const EDITED = ["base", "edits"];
const EXPECTATIONS = { valid: ["expected"], invalid: ["expectedError", "expectedReason"] };

/**
 * Reads a vector file, given as its text.
 *
 * Throws `invalid_argument` if it is malformed, has no tests, another number of tests than it states, or two
 * with the same number; also for unknown members, since a misspelt expectation would be silently ignored.
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
    // The inputs on which edits of later tests in the group may be based.
    const bases = new Map<unknown, unknown>();
    for (const test of tests as unknown[]) {
      completeTest(test, bases);
      check(!numbers.has(test.tcId), "one test of each tcId", test.tcId);
      numbers.add(test.tcId);
      count += 1;
    }
  }
  check(count > 0, "at least one test", 0);
  check(file["numberOfTests"] === count, `numberOfTests: ${count}`, file["numberOfTests"]);
  return file as unknown as VectorFile;
}

/** Checks a test, and sets the input that results from its edits. */
function completeTest(test: unknown, bases: Map<unknown, unknown>): asserts test is Test {
  check(isObject(test), "a test, an object", test);
  check(Number.isInteger(test["tcId"]), "a test's tcId, an integer", test["tcId"]);
  check(typeof test["comment"] === "string", "a test's comment, a string", test["comment"]);
  const { result, expected, expectedError, expectedReason } = test;
  check(result === "valid" || result === "invalid", "the result valid or invalid", result);
  const form = "base" in test ? EDITED : INPUT;
  checkMembers(test, [...TEST, ...form, ...EXPECTATIONS[result]]);
  check(expected === undefined || isObject(expected), "expected, an object", expected);
  if (expected !== undefined) test["expected"] = joinAll(expected);
  for (const name of [expectedError, expectedReason]) {
    check(name === undefined || typeof name === "string", "a code or reason, a string", name);
  }
  if (form === INPUT) {
    check("input" in test, "a test's input", undefined);
    bases.set(test["tcId"], test["input"]);
    return;
  }
  const { base, edits } = test;
  check(bases.has(base), "a base with an input before it, in its group", base);
  check(Array.isArray(edits), "a test's edits, an array", edits);
  test["input"] = applyEdits(bases.get(base), edits);
}

function checkMembers(object: object, known: readonly string[]): void {
  const unknown = Object.keys(object).find((member) => !known.includes(member));
  check(unknown === undefined, `no members but ${known.join(", ")}`, unknown);
}

function check(holds: boolean, expected: string, found: unknown): asserts holds {
  if (!holds) throw refuse("invalid_argument", `a vector file with ${expected}`, describe(found));
}
