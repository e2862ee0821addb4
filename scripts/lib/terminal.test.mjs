import assert from "node:assert/strict";
import { test } from "node:test";

import { duration, fit, table } from "./terminal.mjs";

test("columns line up, coloured or not", () => {
  const green = (text) => `\x1b[32m${text}\x1b[39m`;
  assert.deepEqual(
    table(
      [
        ["step", "time", ""],
        [green("a"), "12 s", "x"],
      ],
      "lrl",
    ),
    ["step  time", `${green("a")}     12 s  x`],
  );
});

test("durations read naturally", () => {
  assert.equal(duration(440), "0.4 s");
  assert.equal(duration(48_300), "48 s");
  assert.equal(duration(59_900), "1 min 00 s");
  assert.equal(duration(125_000), "2 min 05 s");
});

test("a long line is cut, with its colours", () => {
  assert.equal(fit("\x1b[32mCompiling\x1b[39m   serde v1", 12), "Compiling s…");
  assert.equal(fit("short", 12), "short");
});
