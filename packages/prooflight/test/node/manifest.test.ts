import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

// @ts-expect-error: plain JavaScript
import * as untyped from "../../scripts/modules.mjs";

const { MODULES, withManifest } = untyped as {
  MODULES: string[];
  withManifest: (text: string) => string;
};

test("package.json exports every module in every build", async () => {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(text)).toEqual(JSON.parse(withManifest(text)));
});

test("the site documents every module; those of prooflight/inline are the same", async () => {
  const text = await readFile(new URL("../../typedoc.json", import.meta.url), "utf8");
  const { entryPoints } = JSON.parse(text) as { entryPoints: string[] };
  expect(entryPoints.sort()).toEqual(MODULES.map((name) => `src/${name}.ts`).sort());
});
