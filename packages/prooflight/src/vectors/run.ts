import { VerifyError } from "../error.js";
import { parseVectors, type Test } from "./file.js";
import type { Json } from "./json.js";
import { type Kind, KINDS } from "./kinds.js";

/** What became of one test. */
export interface TestReport {
  tcId: number;
  comment: string;
  /** `unsupported`: this build does not know the group's type. */
  outcome: "passed" | "failed" | "unsupported";
  /** Why it has not passed. */
  failure?: string;
}

/**
 * Runs every test of a vector file, given as its text.
 *
 * Throws `invalid_argument` if it is not a vector file, has no tests, or not as many as it says.
 */
export async function runVectors(text: string): Promise<TestReport[]> {
  const reports: TestReport[] = [];
  for (const { type, tests } of parseVectors(text).testGroups) {
    const kind = KINDS.get(type);
    await kind?.init();
    for (const test of tests) reports.push(runTest(type, kind, test));
  }
  return reports;
}

function runTest(type: string, kind: Kind | undefined, test: Test): TestReport {
  const { tcId, comment } = test;
  if (!kind) {
    const failure = `this build does not know the group type ${type}`;
    return { tcId, comment, outcome: "unsupported", failure };
  }
  const failure = test.result === "valid" ? runValid(kind, test) : runInvalid(kind, test);
  if (failure === undefined) return { tcId, comment, outcome: "passed" };
  return { tcId, comment, outcome: "failed", failure };
}

function runValid(kind: Kind, test: Test): string | undefined {
  const answer = attempt(kind, test.input);
  if (answer instanceof VerifyError) return `refused: ${inWords(answer)}`;
  for (const [name, expected] of Object.entries(test.expected ?? {})) {
    const found = answer[name];
    if (found === undefined) return `${name}: not part of an answer of this type`;
    if (!equal(expected, found)) {
      return `${name}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
    }
  }
  return undefined;
}

function runInvalid(kind: Kind, test: Test): string | undefined {
  const error = attempt(kind, test.input);
  if (!(error instanceof VerifyError)) return "accepted";
  const { expectedError, expectedReason } = test;
  // Input that is not of the type's form at all is the caller's mistake here, and may be called
  // malformed in a vector.
  if (expectedError === "malformed" && error.reason === "invalid_argument") return undefined;
  if (expectedError !== undefined && expectedError !== error.code) {
    return `expected ${expectedError}, found ${inWords(error)}`;
  }
  if (expectedReason !== undefined && expectedReason !== error.reason) {
    return `expected ${expectedReason}, found ${inWords(error)}`;
  }
  return error.code === "internal" ? inWords(error) : undefined;
}

function attempt(kind: Kind, input: unknown): Record<string, Json> | VerifyError {
  try {
    return kind.verify(input);
  } catch (error) {
    if (error instanceof VerifyError) return error;
    throw error;
  }
}

const inWords = (error: VerifyError) => `${error.code} / ${error.reason}: ${error.message}`;

function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && equal(value, right.get(name)))
  );
}
