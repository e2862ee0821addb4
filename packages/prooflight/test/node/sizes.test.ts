import { expect, test } from "vitest";

// @ts-expect-error: plain JavaScript
import * as untyped from "../../scripts/growth.mjs";

interface Row {
  module: string;
  cells: number[];
}

const { grown, missing, reasons } = untyped as {
  grown: (rows: Row[], table: string) => Row[];
  missing: (rows: Row[], table: string) => Row[];
  reasons: (rows: Row[], table: string, reason?: string) => string[];
};

const table =
  "| module | code | both |\n|---|---|---|\n| `one` | 10.0 | 100.0 |\n\n* `one` grew: before\n";
const row = (module: string, ...sizes: number[]) => ({
  module,
  cells: sizes.map((size) => Math.round(size * 1024)),
});

test.each([
  ["as large as in the table", 10, 100, false],
  ["smaller", 5, 50, false],
  ["1 % larger", 10.1, 101, false],
  ["of 2 % more code, though less in all", 10.2, 90, true],
  ["2 % larger in all", 10, 102, true],
])("a module %s needs a reason or not", (_, code, both, larger) => {
  const rows = [row("one", code, both)];
  expect(grown(rows, table)).toEqual(larger ? rows : []);
});

test("a module without a line is missing, and did not grow", () => {
  const rows = [row("one", 10, 100), row("on", 1, 1)];
  expect(missing(rows, table)).toEqual([rows[1]]);
  expect(grown(rows, table)).toEqual([]);
});

test("a reason comes below those that are there", () => {
  const before = "* `one` grew: before";
  expect(reasons([row("one", 10, 100)], table, "more")).toEqual([before]);
  expect(reasons([row("one", 20, 110)], table, "more")).toEqual([before, "* `one` grew: more"]);
});
