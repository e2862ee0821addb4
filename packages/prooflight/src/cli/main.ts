/** The command `prooflight`, which `bin/prooflight.mjs` runs. */

import { parseArgs } from "node:util";

import { VERSION } from "../registry.js";
import { STATE_SCHEMES } from "../schemes.js";
import { EXIT, exitCodeOf } from "./exit.js";
import { complain, print, printError } from "./output.js";
import { bold, type SafeText, text } from "./text.js";
import { diff } from "./diff.js";
import { get } from "./get.js";
import { head } from "./head.js";
import { history } from "./history.js";
import { vectors } from "./vectors.js";
import { verify } from "./verify.js";
import { watch } from "./watch.js";

const PROVERS = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(STATE_SCHEMES);

const HELP = text`${bold("prooflight")} verifies answers about a blockchain's state

${bold("Usage")}
  prooflight get KEY…           ask servers for values, and verify the answers
  prooflight history KEY        verify every change of a value in a range of blocks, with none missing
  prooflight diff               verify every key that changed in a range of blocks, with none missing
  prooflight head               verify the servers' newest head
  prooflight watch [KEY…]       print every new head, and the values of the keys
  prooflight verify FILE        verify a statement: a JSON file { scheme, kind, …input }, a saved
                                answer, history or diff, or a node's answer to eth_getProof
  prooflight vectors FILE…      run files of test vectors

  KEY is 0x-hex, or text. FILE may be - for standard input. The kinds of statements, and the
  input of each, are in test-vectors/spec/vectors.md of the repository.

${bold("Options of get, history, diff, head and watch")}
  --server URL          a server; repeat it to add servers, which are asked if one fails or lies
  --checkpoint FILE     the checkpoint in JSON, from a source that you trust
  --max-head-age MS     refuse heads that are older (default: any age)
  --timeout MS          the longest time of a call to a server (default: 10000)
  --bundle FILE         of get, history and diff: save what was verified with its proof

${bold("Options of get and watch")}
  --scheme SCHEME       the scheme of the proofs: ${PROVERS}
                        (default: the first that the chain keeps, lvmt last)
  --at BLOCK            of get: latest, a height or a header hash (default: latest)

${bold("Options of history and diff")}
  --from HEIGHT         of history: the first block (default: 0)
                        of diff: the block after which changes count (default: all count)
  --to BLOCK            the last block: latest or a height (default: latest)
  --average             of history: also print the time-weighted average of the value, a big-endian number

${bold("Options of verify")}
  --checkpoint FILE     the checkpoint for what was saved, from a source that you trust
  --state-root HASH     the trusted state root for an answer to eth_getProof
  --address ADDRESS     the account that eth_getProof was asked for (default: the answer's)
  --slot SLOT           a slot that it was asked for, 0x-hex; repeat it for each, in order
                        (default: the answer's)

${bold("Options of get, watch and verify, for lvmt")}
  --allow-insecure-setup  accept a setup under which anyone can forge proofs
  --verifying-key FILE  the key of a setup other than the development one and the Perpetual Powers
                        of Tau; a node of the chain has it in its folder

${bold("Other options")}
  --json                print the result as JSON; watch prints one line a head
  --help                print this
  --version             print the version

${bold("Exit codes")}
  0   verified, or all vectors pass
  1   does not verify, or a vector fails
  2   wrong usage, or a malformed file
  3   unavailable
  4   unsupported: a kind that this version does not know, or a setup that is not accepted
  5   valid, but only relative to a checkpoint or verifying key in the file itself
  70  anything else: a bug in Prooflight, or output that could not be written`;

// By default Node exits with 1 if standard output is full or closed; that code means a wrong proof.
process.on("uncaughtException", (error) => {
  try {
    printError(error, false);
  } finally {
    process.exit(EXIT.internal);
  }
});

async function main(args: string[]): Promise<number> {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        server: { type: "string", multiple: true },
        checkpoint: { type: "string" },
        at: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
        average: { type: "boolean" },
        scheme: { type: "string" },
        "allow-insecure-setup": { type: "boolean" },
        "verifying-key": { type: "string" },
        timeout: { type: "string" },
        "max-head-age": { type: "string" },
        bundle: { type: "string" },
        "state-root": { type: "string" },
        address: { type: "string" },
        slot: { type: "string", multiple: true },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
      },
    });
  } catch (error) {
    return usage((error as Error).message);
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = positionals;
  if (values.help) return say(HELP);
  if (values.version) return say(VERSION);
  if (command === undefined) return usage("no command");
  if (!isCommand(command)) return usage(`no such command: ${command}`);
  const { json, ...options } = values;
  const stranger = Object.keys(options).find((name) => !OPTIONS[command].includes(name));
  if (stranger !== undefined) return usage(`${command} takes no --${stranger}`);
  try {
    switch (command) {
      case "get":
        if (rest.length === 0) return usage("get takes at least one key");
        return await get(rest, options, json);
      case "history": {
        const [key, ...more] = rest;
        if (key === undefined || more.length > 0) return usage("history takes one key");
        return await history(key, options, json);
      }
      case "diff":
        if (rest.length > 0) return usage("diff takes no arguments");
        return await diff(options, json);
      case "head":
        if (rest.length > 0) return usage("head takes no arguments");
        return await head(options, json);
      case "watch":
        return await watch(rest, options, json);
      case "verify": {
        const [file, ...more] = rest;
        if (file === undefined || more.length > 0) return usage("verify takes one file");
        return await verify(file, options, json);
      }
      case "vectors":
        if (rest.length === 0) return usage("vectors takes at least one file");
        return await vectors(rest, json);
    }
  } catch (error) {
    printError(error, json);
    return exitCodeOf(error);
  }
}

const ASKING = ["server", "checkpoint", "timeout", "max-head-age"];
const PROVED = ["scheme", "allow-insecure-setup", "verifying-key"];

/** The commands, and the options that each adds to the common ones. */
const OPTIONS = {
  get: [...ASKING, ...PROVED, "at", "bundle"],
  history: [...ASKING, "from", "to", "average", "bundle"],
  diff: [...ASKING, "from", "to", "bundle"],
  head: ASKING,
  watch: [...ASKING, ...PROVED],
  verify: [
    ...["checkpoint", "allow-insecure-setup", "verifying-key"],
    ...["state-root", "address", "slot"],
  ],
  vectors: [] as string[],
};

const isCommand = (command: string): command is keyof typeof OPTIONS =>
  Object.hasOwn(OPTIONS, command);

function say(line: string | SafeText): number {
  print(line);
  return EXIT.ok;
}

function usage(problem: string): number {
  complain(text`${problem}\nTry: prooflight --help`);
  return EXIT.usage;
}

process.exitCode = await main(process.argv.slice(2));
