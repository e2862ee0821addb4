/** The package uses only what the oldest engines have that its README names. */

import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

// @ts-expect-error: plain JavaScript
import * as untyped from "../../scripts/apis.mjs";

const { usedApis } = untyped as { usedApis: () => Map<string, Set<string>> };

type Releases = Record<"chrome" | "edge" | "firefox" | "safari", number | null>;

const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");

/** What is used only where it exists, and who checks that. */
const GUARDED: Record<string, string> = {
  "AbortSignal.reason": "src/transport/abort.ts",
  // Without it, the method has another name, and nothing calls it.
  "Symbol.asyncDispose": "src/client/following.ts",
};

test("every API is as old as the engines of the README, or guarded", async () => {
  const named = /Chrome and Edge (\d+), Firefox (\d+), Safari ([\d.]+) and newer/;
  const [, chrome, firefox, safari] = named.exec(await read("../../README.md")) ?? [];
  const oldest = { chrome, edge: chrome, firefox, safari };
  const known = JSON.parse(await read("engines.json")) as Record<string, Releases>;
  const used = usedApis();
  expect(used.size).toBeGreaterThan(40);
  for (const [name, files] of used) {
    const guard = GUARDED[name];
    if (guard !== undefined) {
      expect([...files], name).toEqual([guard]);
      continue;
    }
    const releases = known[name];
    // `scripts/engines.mjs` writes it.
    expect(releases, `${name} of ${[...files].join()} in engines.json`).toBeDefined();
    for (const [browser, release] of Object.entries(releases ?? {})) {
      const least = Number(oldest[browser as keyof Releases]);
      expect(release ?? Infinity, `${name} in ${browser}`).toBeLessThanOrEqual(least);
    }
  }
});

test("the tables of browsers say the same", async () => {
  const required = await read("../../src/wasm/compile.ts");
  const named = /Chrome (\d+), Edge (\d+), Firefox (\d+), Safari ([\d.]+)/.exec(required);
  expect(await read("../../README.md")).toContain(
    `Chrome and Edge ${named?.[1]}, Firefox ${named?.[3]}, Safari ${named?.[4]} and newer`,
  );
  expect(named?.[1]).toBe(named?.[2]);
});
