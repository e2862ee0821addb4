#!/usr/bin/env node
// The command `prooflight`. Committed, unlike dist: npm links a command only if its file is there when it
// installs, which in a clone is before the build.

import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);

if (existsSync(main)) {
  await import(main);
} else {
  console.error(
    "prooflight: the package is not built\nRun this in the clone of the repository first: npm run build",
  );
  process.exitCode = 70;
}
