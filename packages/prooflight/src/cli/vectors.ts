import { runVectors, type TestReport } from "../vectors/run.js";
import { readText } from "./files.js";
import { EXIT, exitCodeOf, print, printFileErrors, printJson } from "./output.js";
import { CHECK_MARK, CROSS_MARK, dim, text, yellow } from "./text.js";

/** `prooflight vectors FILE…`: runs the files and prints the failures. Returns the exit code. */
export async function vectors(files: readonly string[], json: boolean): Promise<number> {
  const reports: { file: string; tests: TestReport[] }[] = [];
  const failures: { file: string; error: unknown }[] = [];
  for (const file of files) {
    try {
      reports.push({ file, tests: await runVectors(await readText(file)) });
    } catch (error) {
      failures.push({ file, error });
    }
  }
  if (failures.length > 0) {
    printFileErrors(failures, json);
    return Math.max(...failures.map(({ error }) => exitCodeOf(error)));
  }
  const all = count(reports.flatMap(({ tests }) => tests));
  if (json) {
    printJson({ ...all, files: reports.map(({ file, tests }) => fileJson(file, tests)) });
  } else {
    for (const { file, tests } of reports) printFile(file, tests);
    print(inWords(all));
  }
  if (all.failed > 0) return EXIT.refused;
  return all.unsupported > 0 ? EXIT.unsupported : EXIT.ok;
}

interface Counts {
  passed: number;
  failed: number;
  unsupported: number;
}

function count(tests: readonly TestReport[]): Counts {
  const counts = { passed: 0, failed: 0, unsupported: 0 };
  for (const { outcome } of tests) counts[outcome] += 1;
  return counts;
}

function fileJson(file: string, tests: readonly TestReport[]) {
  const open = tests.filter(({ outcome }) => outcome !== "passed");
  return { file, ...count(tests), open };
}

function printFile(file: string, tests: readonly TestReport[]): void {
  const counts = count(tests);
  const mark = counts.failed > 0 ? CROSS_MARK : counts.unsupported > 0 ? yellow("?") : CHECK_MARK;
  print(text`${mark} ${file}  ${dim(inWords(counts))}`);
  for (const { tcId, comment, outcome, failure } of tests) {
    if (outcome === "passed") continue;
    print(text`    tcId ${tcId}  ${outcome}  ${comment}`);
    print(text`        ${failure ?? ""}`);
  }
}

function inWords({ passed, failed, unsupported }: Counts): string {
  const rest = unsupported > 0 ? `, ${unsupported} unsupported` : "";
  return `${passed} passed, ${failed} failed${rest}`;
}
