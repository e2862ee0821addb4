/** The command `prooflight`, which `bin/prooflight.mjs` runs. */

import { parseArgs } from "node:util";
import { VERSION } from "../registry.js";
import { STATE_SCHEMES } from "../schemes.js";
import { withOrigins } from "../url.js";
import { diff } from "./diff.js";
import { account } from "./ethereum/account.js";
import { block } from "./ethereum/block.js";
import { logs } from "./ethereum/logs.js";
import { receipt } from "./ethereum/receipt.js";
import { transaction } from "./ethereum/transaction.js";
import { get } from "./get.js";
import { history } from "./history.js";
import { complain, EXIT, exitCodeOf, print, printError } from "./output.js";
import { count, range } from "./range.js";
import { bold, type SafeText, text } from "./text.js";
import { vectors } from "./vectors.js";
import { verify } from "./verify.js";
import { head, watch } from "./watch.js";

const PROVERS = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(STATE_SCHEMES);

const HELP = text`${bold("prooflight")} verifies answers about a blockchain's state

${bold("Usage")}
  prooflight get KEY…           ask servers for values, and verify the answers
  prooflight history KEY        verify every change of a value in a range of blocks, with none missing
  prooflight diff               verify every key that changed in a range of blocks, with none missing
  prooflight range [FROM [TO]]  list all keys from FROM to before TO, and verify that none is missing
  prooflight count [FROM [TO]]  verify how many keys there are from FROM to before TO
  prooflight head               verify the servers' newest head
  prooflight watch [KEY…]       print every new head, and the values of the keys
  prooflight verify FILE        verify a statement: a JSON file { scheme, kind, …input }, a saved
                                answer, history or diff, or a node's answer to eth_getProof
  prooflight vectors FILE…      run files of test vectors

  prooflight eth balance ADDRESS   verify an account of Ethereum, and slots of its storage
  prooflight eth block [BLOCK]     verify a block's header: the newest, or latest, finalized, a number
                                   or a hash
  prooflight eth tx HASH           verify a transaction
  prooflight eth receipt HASH      verify a transaction's receipt and logs
  prooflight eth logs [ADDRESS…]   verify every log of these contracts, or of all, in a range of
                                   blocks, with none missing

  KEY, FROM and TO are 0x-hex, or text. FILE may be - for standard input. The kinds of
  statements, and the input of each, are in test-vectors/spec/vectors.md of the repository.

${bold("Options of get, history, diff, range, count, head and watch")}
  --server URL          a server; repeat it to add servers, which are asked if one fails or lies
  --checkpoint FILE     the checkpoint in JSON, from a source that you trust
  --max-head-age MS     refuse heads that are older (default: any age)
  --timeout MS          the longest time of a call to a server (default: 10000)
  --bundle FILE         of get, history and diff: save what was verified with its proof

${bold("Options of eth")}
  --checkpoint ROOT     the root of a finalized beacon block, from a source that you trust
  --state FILE          continue from this file if it exists, else from the checkpoint, and keep the
                        newest heads in it; the file is trusted as a checkpoint is
  --beacon URL          a beacon node; repeat it to add nodes, which are asked if one fails or lies
  --execution URL       an execution node; repeat it likewise
  --network NAME        mainnet, sepolia or hoodi (default: mainnet)
  --max-checkpoint-age DAYS  refuse an older checkpoint or state (default: 14)
  --max-head-age MS, --timeout MS  as above
  --at BLOCK            of balance: the block (default: latest)
  --slot SLOT           of balance: a storage slot; repeat it for each
  --from BLOCK, --to BLOCK  of logs: the range (default: latest)
  --topic TOPIC         of logs: the first topic; repeat it for the next ones. Several with commas
                        are alternatives, and any stands for all
  --union               of logs: only what the execution nodes name, each log proven; none is missing
                        if one of them is honest
  --max-bytes BYTES     of logs: the most bytes to receive (default: 33554432)

${bold("Options of get, watch, history, range and count")}
  --scheme SCHEME       the scheme of the proofs: ${PROVERS}
                        (default: the first that the chain keeps and that proves it, lvmt last)
  --at BLOCK            of get, range and count: latest, a height or a header hash (default: latest)

${bold("Options of range and count")}
  --prefix KEY          all keys that begin with KEY, instead of FROM and TO
  --reverse             of range: the last key first
  --limit N             of range: at most N keys (default: all)

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
        prefix: { type: "string" },
        reverse: { type: "boolean" },
        limit: { type: "string" },
        scheme: { type: "string" },
        "allow-insecure-setup": { type: "boolean" },
        "verifying-key": { type: "string" },
        timeout: { type: "string" },
        "max-head-age": { type: "string" },
        bundle: { type: "string" },
        "state-root": { type: "string" },
        address: { type: "string" },
        slot: { type: "string", multiple: true },
        beacon: { type: "string", multiple: true },
        execution: { type: "string", multiple: true },
        network: { type: "string" },
        state: { type: "string" },
        "max-checkpoint-age": { type: "string" },
        union: { type: "boolean" },
        "max-bytes": { type: "string" },
        topic: { type: "string", multiple: true },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
      },
    });
  } catch (error) {
    return usage(withOrigins((error as Error).message));
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = commandOf(positionals);
  if (values.help) return say(HELP);
  if (values.version) return say(VERSION);
  if (command === undefined) return usage("no command");
  if (!isCommand(command)) return usage(`no such command: ${withOrigins(command)}`);
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
      case "range":
      case "count":
        if (rest.length > 2) return usage(`${command} takes at most two keys`);
        return await (command === "range" ? range : count)(rest, options, json);
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
      case "eth balance": {
        const [address, ...more] = rest;
        if (address === undefined || more.length > 0) return usage("eth balance takes one address");
        return await account(address, options, json);
      }
      case "eth block":
        if (rest.length > 1) return usage("eth block takes one block");
        return await block(rest[0], options, json);
      case "eth tx":
      case "eth receipt": {
        const [hash, ...more] = rest;
        if (hash === undefined || more.length > 0) return usage(`${command} takes one hash`);
        return await (command === "eth tx" ? transaction : receipt)(hash, options, json);
      }
      case "eth logs":
        return await logs(rest, options, json);
    }
  } catch (error) {
    printError(error, json);
    return exitCodeOf(error);
  }
}

const ASKING = ["server", "checkpoint", "timeout", "max-head-age"];
const FOLLOWING = [
  ...["network", "checkpoint", "state", "beacon", "execution"],
  ...["timeout", "max-head-age", "max-checkpoint-age"],
];
const PROVED = ["scheme", "allow-insecure-setup", "verifying-key"];

/** The commands, and the options that each adds to the common ones. */
const OPTIONS = {
  get: [...ASKING, ...PROVED, "at", "bundle"],
  history: [...ASKING, "scheme", "from", "to", "average", "bundle"],
  diff: [...ASKING, "from", "to", "bundle"],
  range: [...ASKING, "scheme", "at", "prefix", "reverse", "limit"],
  count: [...ASKING, "scheme", "at", "prefix"],
  head: ASKING,
  watch: [...ASKING, ...PROVED],
  verify: [
    ...["checkpoint", "allow-insecure-setup", "verifying-key"],
    ...["state-root", "address", "slot"],
  ],
  vectors: [] as string[],
  "eth balance": [...FOLLOWING, "at", "slot"],
  "eth block": FOLLOWING,
  "eth tx": FOLLOWING,
  "eth receipt": FOLLOWING,
  "eth logs": [...FOLLOWING, "from", "to", "topic", "union", "max-bytes"],
};

/** The command, of which those about Ethereum have two words, and its arguments. */
function commandOf([first, ...rest]: string[]): string[] {
  const [second, ...more] = rest;
  if (first === "eth" && second !== undefined) return [`eth ${second}`, ...more];
  return first === undefined ? [] : [first, ...rest];
}

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
