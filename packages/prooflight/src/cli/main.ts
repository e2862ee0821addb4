#!/usr/bin/env node
/** The command `prooflight`. */

import { parseArgs } from "node:util";

import { VERSION } from "../registry.js";
import { EXIT, exitCodeOf } from "./exit.js";
import { complain, print, printError } from "./output.js";
import { bold, type SafeText, text } from "./text.js";
import { vectors } from "./vectors.js";
import { verify } from "./verify.js";

const HELP = text`${bold("prooflight")} checks answers about a blockchain's state

${bold("Usage")}
  prooflight verify FILE        verify a statement: a JSON file { scheme, kind, …input }
  prooflight vectors FILE…      run whole files of test vectors

  FILE may be - for standard input. The kinds, and the input of each, are in
  test-vectors/SPEC.md of the repository.

${bold("Options")}
  --json       print the outcome as JSON
  --help       print this
  --version    print the version

${bold("Exit codes")}
  0   verified, or all vectors pass
  1   does not verify, or a vector fails
  2   wrong usage, or a file that is not of the right form
  3   unavailable
  4   unsupported: a kind that this version does not know
  70  anything else: a bug in Prooflight, or output that could not be written`;

// Without this Node would end with 1, as if a proof were wrong, where standard output is full or closed.
process.on("uncaughtException", (error) => {
  try {
    printError(error, false);
  } finally {
    process.exit(EXIT.internal);
  }
});

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
      },
    });
  } catch (error) {
    return usage((error as Error).message);
  }
  const { values, positionals } = parsed;
  const [command, ...files] = positionals;
  if (values.help) return say(HELP);
  if (values.version) return say(VERSION);
  try {
    switch (command) {
      case "verify": {
        const [file, ...more] = files;
        if (file === undefined || more.length > 0) return usage("verify takes one file");
        return await verify(file, values.json);
      }
      case "vectors":
        if (files.length === 0) return usage("vectors takes at least one file");
        return await vectors(files, values.json);
      case undefined:
        return usage("no command");
      default:
        return usage(`no such command: ${command}`);
    }
  } catch (error) {
    printError(error, values.json);
    return exitCodeOf(error);
  }
}

function say(line: string | SafeText): number {
  print(line);
  return EXIT.ok;
}

function usage(problem: string): number {
  complain(text`${problem}\nTry: prooflight --help`);
  return EXIT.usage;
}
