#!/usr/bin/env node
/** The command `prooflight`. */

import { parseArgs } from "node:util";

import { VERSION } from "../registry.js";
import { EXIT, exitCodeOf } from "./exit.js";
import { bold, printError } from "./output.js";
import { vectors } from "./vectors.js";
import { verify } from "./verify.js";

const HELP = `${bold("prooflight")} checks answers about a blockchain's state

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
  70  a bug in Prooflight
`;

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
  if (values.version) return say(`${VERSION}\n`);
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

function say(text: string): number {
  process.stdout.write(text);
  return EXIT.ok;
}

function usage(problem: string): number {
  process.stderr.write(`prooflight: ${problem}\nTry: prooflight --help\n`);
  return EXIT.usage;
}
