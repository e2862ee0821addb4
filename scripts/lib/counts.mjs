// The number of tests that ran, from the output of the test runners. A run without tests is a failure:
// a step that finds nothing to test must not look like a success.

import { stripVTControlCharacters as plain } from "node:util";

import { Problem } from "./task.mjs";

/** `12 tests`, from `cargo test`. */
export const cargoTests = (output) =>
  remark(
    sum(output, /^test result: .* (\d+) passed;/gm),
    sum(output, /^test result: .* (\d+) ignored;/gm),
  );

/** `12 tests`, from vitest. */
export const vitestTests = (output) =>
  remark(sum(output, /^\s*Tests .*?(\d+) passed/gm), sum(output, /^\s*Tests .*?(\d+) skipped/gm));

/** `12 tests`, from `node --test`. */
export const nodeTests = (output) =>
  remark(sum(output, /^(?:#|ℹ) pass (\d+)/gm), sum(output, /^(?:#|ℹ) (?:skipped|todo) (\d+)/gm));

/** `12 tests`, from `python3 -m unittest`. */
export const pythonTests = (output) => remark(sum(output, /^Ran (\d+) tests?/gm), 0);

/** Lines in which tests say what they lack, or what they do not verify; each once. */
export function lacking(output) {
  const lines = [
    ...plain(output).matchAll(/^\S.*? (?:lacks|is lacking|is pinned, not verified): .*$/gm),
  ];
  return [...new Set(lines.map(([line]) => line.trimEnd()))];
}

function remark(passed, skipped) {
  if (passed === 0) throw new Problem("No test ran.");
  return `${passed} tests${skipped ? `, ${skipped} skipped` : ""}`;
}

function sum(output, pattern) {
  const counts = [...plain(output).matchAll(pattern)].map(([, count]) => Number(count));
  return counts.reduce((a, b) => a + b, 0);
}
