/// <reference types="vite/client" />

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

/** The input of the first test of a file. */
export function firstInput(path: string): unknown {
  const file = JSON.parse(vectorFiles.get(path) ?? "{}") as {
    testGroups: [{ tests: [{ input: unknown }] }];
  };
  return file.testGroups[0].tests[0].input;
}
