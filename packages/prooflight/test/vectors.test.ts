import { expect, test } from "vitest";

import { runVectors } from "../src/vectors/run.js";
import { vectorFiles } from "./files.js";

test("there are vectors of every group type", () => {
  const types = [...vectorFiles.values()].flatMap((text) => {
    const { testGroups } = JSON.parse(text) as { testGroups: { type: string }[] };
    return testGroups.map(({ type }) => type);
  });
  expect(new Set(types)).toEqual(new Set(["AvlBatch", "ErgoAdProofs", "StateRoots"]));
});

test.each([...vectorFiles])("every test of %s passes", async (path, text) => {
  const reports = await runVectors(text);
  // Which roots a state has, only a program that keeps it can tell.
  const expected = path.startsWith("state-roots/") ? "unsupported" : "passed";
  expect(reports.filter(({ outcome }) => outcome !== expected)).toEqual([]);
  expect(reports).toHaveLength((JSON.parse(text) as { numberOfTests: number }).numberOfTests);
});
