#!/usr/bin/env node
// The compiler of the npm package solc, as forge runs one.

import { createRequire } from "node:module";

const require = createRequire(new URL("../../package.json", import.meta.url));
const solc = require("solc");

if (process.argv.includes("--version")) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`);
} else {
  let input = "";
  for await (const part of process.stdin) input += part;
  process.stdout.write(solc.compile(input));
}
