import { expect, test } from "vitest";
import { commands } from "vitest/browser";

import { runVectors, type TestReport } from "../../src/vectors/run.js";
import { vectorFiles } from "../files.js";

declare module "vitest/browser" {
  interface BrowserCommands {
    /** Defined in `vitest.config.ts`. */
    runVectorsInNode: (text: string) => Promise<TestReport[]>;
  }
}

test.each([...vectorFiles])(
  "Chromium and Node say the same about every test of %s, to the last letter",
  async (_path, text) => {
    const here = await runVectors(text);
    expect(here.length).toBeGreaterThan(0);
    expect(here).toEqual(await commands.runVectorsInNode(text));
  },
);
