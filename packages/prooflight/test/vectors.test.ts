import { expect, test } from "vitest";

import { KINDS } from "../src/statement/kinds.js";
import { runVectors } from "../src/vectors/run.js";
import { vectorFiles } from "./files.js";

/**
 * Group types of `test-vectors/spec/vectors.md` that this package does not verify: which roots a state has
 * only a program that keeps it can tell.
 */
const UNSUPPORTED: readonly string[] = ["StateRoots"];

const groups = (text: string) =>
  (JSON.parse(text) as { testGroups: { type: string; tests: unknown[] }[] }).testGroups;

test("every group type of the vectors is verified here, or named above", () => {
  const types = new Set([...vectorFiles.values()].flatMap(groups).map(({ type }) => type));
  expect([...types].sort()).toEqual([...KINDS.keys(), ...UNSUPPORTED].sort());
});

test.each([...vectorFiles])("every test of %s passes, if it can be run", async (_path, text) => {
  const expected = groups(text).flatMap(({ type, tests }) =>
    tests.map(() => (UNSUPPORTED.includes(type) ? "unsupported" : "passed")),
  );
  const reports = await runVectors(text);
  expect(reports.filter(({ outcome }, index) => outcome !== expected[index])).toEqual([]);
  expect(reports).toHaveLength((JSON.parse(text) as { numberOfTests: number }).numberOfTests);
});
