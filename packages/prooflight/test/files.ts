/// <reference types="vite/client" />

import { parseVectors } from "../src/vectors/file.js";

/** The text of every vector file, by its path in `test-vectors/`. */
export const vectorFiles: ReadonlyMap<string, string> = new Map(
  Object.entries(
    import.meta.glob<string>(
      [
        "../../../test-vectors/**/*.json",
        "!../../../test-vectors/schema/**",
        "!../../../test-vectors/*/data/**",
      ],
      { query: "?raw", import: "default", eager: true },
    ),
  ).map(([path, text]) => [path.split("/test-vectors/")[1] ?? path, text]),
);

interface TestFile {
  testGroups: { tests: { comment: string; input?: unknown }[] }[];
}

/** The input of the test with a comment, or of the first one, which is not written as edits of another. */
export function inputOf(path: string, comment?: string): unknown {
  const { testGroups } = JSON.parse(vectorFiles.get(path) ?? '{"testGroups":[]}') as TestFile;
  const tests = testGroups.flatMap(({ tests }) => tests);
  const test = tests.find((test) => comment === undefined || test.comment === comment);
  if (test?.input === undefined) throw new Error(`no input in ${path}`);
  return test.input;
}

/** A test vector as a statement, by its file and comment. */
export function statement(path: string, comment: string): Record<string, unknown> {
  const { testGroups } = parseVectors(vectorFiles.get(path) ?? "{}");
  for (const { type, tests } of testGroups) {
    const found = tests.find((test) => test.comment === comment);
    if (found) return { kind: type, ...(found.input as Record<string, unknown>) };
  }
  throw new Error(`${path} has no test "${comment}"`);
}
