import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

// @ts-expect-error: plain JavaScript
import { withManifest as untyped } from "../../scripts/modules.mjs";

const withManifest = untyped as (text: string) => string;

test("package.json exports every module in every build", async () => {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(text)).toEqual(JSON.parse(withManifest(text)));
});
