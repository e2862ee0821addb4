import { type Refusal, VerifyError } from "../error.js";
import type { Json, Kind } from "../statement/json.js";
import { KINDS } from "../statement/kinds.js";
import { parseVectors, type Test } from "./file.js";
import { joinAll } from "./joined.js";

/** The result of one test. */
export interface TestReport {
  tcId: number;
  comment: string;
  /** `unsupported`: this build does not know the group's type. */
  outcome: "passed" | "failed" | "unsupported";
  /** Why it did not pass. */
  failure?: string;
  /** The verifier's answer or refusal. */
  found?: Record<string, Json> | Refusal;
}

/**
 * Runs every test of a vector file, given as its text.
 *
 * Throws `invalid_argument` if it is not a vector file, has no tests, another number of tests than it states,
 * or two with the same number.
 */
export async function runVectors(text: string): Promise<TestReport[]> {
  const reports: TestReport[] = [];
  for (const { type, tests } of parseVectors(text).testGroups) {
    const kind = KINDS.get(type);
    await kind?.init();
    for (const test of tests) reports.push(kind ? runTest(kind, test) : notRun(type, test));
  }
  return reports;
}

function notRun(type: string, { tcId, comment }: Test): TestReport {
  const failure = `this build does not know the group type ${type}`;
  return { tcId, comment, outcome: "unsupported", failure };
}

function runTest(kind: Kind, test: Test): TestReport {
  const { tcId, comment } = test;
  const input = attempt(() => joinAll(test.input));
  if (input instanceof VerifyError) {
    return { tcId, comment, outcome: "failed", failure: input.message };
  }
  const verdict = attempt(() => kind.verify(input));
  const isRefused = verdict instanceof VerifyError;
  const failure = isRefused ? judgeRefusal(test, verdict) : judgeAnswer(test, verdict);
  const found = isRefused ? verdict.toJSON() : verdict;
  if (failure === undefined) return { tcId, comment, outcome: "passed", found };
  return { tcId, comment, outcome: "failed", failure, found };
}

function attempt<T>(call: () => T): T | VerifyError {
  try {
    return call();
  } catch (error) {
    if (error instanceof VerifyError) return error;
    throw error;
  }
}

/** Describes how an answer deviates from the test's expectation. */
function judgeAnswer(test: Test, answer: Record<string, Json>): string | undefined {
  if (test.result === "invalid") return "accepted";
  for (const [name, expected] of Object.entries(test.expected ?? {})) {
    const found = answer[name];
    if (found === undefined) return `${name}: not part of an answer of this type`;
    if (!equal(expected, found)) {
      return `${name}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
    }
  }
  return undefined;
}

/** Describes how a refusal deviates from the test's expectation. */
function judgeRefusal(test: Test, error: VerifyError): string | undefined {
  const found = `${error.code} / ${error.reason}: ${error.message}`;
  const { result, expectedError, expectedReason } = test;
  if (result === "valid") return `refused: ${found}`;
  if (error.code === "internal") return found;
  if (expectedError !== undefined && expectedError !== error.code) {
    return `expected ${expectedError}, found ${found}`;
  }
  if (expectedReason !== undefined && expectedReason !== error.reason) {
    return `expected ${expectedReason}, found ${found}`;
  }
  return undefined;
}

function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && equal(value, right.get(name)))
  );
}
