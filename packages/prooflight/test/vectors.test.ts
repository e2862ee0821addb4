import { expect, test } from "vitest";

import { runVectors } from "../src/vectors/run.js";
import { vectorFiles } from "./files.js";

test("there are vectors of every group type that is verified here", () => {
  const types = [...vectorFiles.values()].flatMap((text) => {
    const { testGroups } = JSON.parse(text) as { testGroups: { type: string }[] };
    return testGroups.map(({ type }) => type);
  });
  expect(types).toEqual(expect.arrayContaining(["AvlBatch", "ErgoAdProofs"]));
});

test.each([...vectorFiles])("every test of %s passes", async (path, text) => {
  const reports = await runVectors(text);
  // Chains are verified by the Rust crates alone; roots of states need a program that keeps them.
  const expected = /^(chain|state-roots)\//.test(path) ? "unsupported" : "passed";
  expect(reports.filter(({ outcome }) => outcome !== expected)).toEqual([]);
  expect(reports).toHaveLength((JSON.parse(text) as { numberOfTests: number }).numberOfTests);
});
