/** The command `prooflight`, which `bin/prooflight.mjs` runs. */

import { parseArgs } from "node:util";
import { VERSION } from "../registry.js";
import { withOrigins } from "../url.js";
import { diff } from "./diff.js";
import { account } from "./ethereum/account.js";
import { block } from "./ethereum/block.js";
import { call, estimate } from "./ethereum/call.js";
import { checkpoint } from "./ethereum/checkpoint.js";
import { logs } from "./ethereum/logs.js";
import { receipt } from "./ethereum/receipt.js";
import { serve } from "./ethereum/serve.js";
import { simulate } from "./ethereum/simulate.js";
import { transaction } from "./ethereum/transaction.js";
import { get } from "./get.js";
import { type Command, hasOption, helpOf, isCommand } from "./help.js";
import { history } from "./history.js";
import { complain, EXIT, exitCodeOf, print, printError } from "./output.js";
import { count, range } from "./range.js";
import { joinLines, type SafeText, text } from "./text.js";
import { vectors } from "./vectors.js";
import { verify } from "./verify.js";
import { head, watch } from "./watch.js";

// By default Node exits with 1 if standard output is full or closed; that code means a wrong proof.
process.on("uncaughtException", (error) => {
  try {
    printError(error, false);
  } finally {
    process.exit(EXIT.internal);
  }
});

const OPTION_TYPES = {
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
  listen: { type: "string" },
  origin: { type: "string", multiple: true },
  host: { type: "string", multiple: true },
  data: { type: "string" },
  value: { type: "string" },
  gas: { type: "string" },
  token: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

const parse = (args: string[]) =>
  parseArgs({ args, allowPositionals: true, options: OPTION_TYPES });

type Options = Omit<ReturnType<typeof parse>["values"], "json">;

/** A command: the numbers of arguments that it takes, in words too, and what it does. */
interface CommandRow {
  minArguments: number;
  maxArguments: number;
  takes: string;
  run: (given: string[], options: Options, json: boolean) => Promise<number>;
}

const oneArgument = (
  takes: string,
  run: (given: string, options: Options, json: boolean) => Promise<number>,
): CommandRow => ({
  ...{ minArguments: 1, maxArguments: 1, takes },
  run: ([given = ""], options, json) => run(given, options, json),
});

const noArguments = (run: (options: Options, json: boolean) => Promise<number>): CommandRow => ({
  ...{ minArguments: 0, maxArguments: 0, takes: "no arguments" },
  run: (_, options, json) => run(options, json),
});

/** The arguments of the commands that execute a call. */
const CALLING = { minArguments: 1, maxArguments: Infinity, takes: "at least one address" };

const COMMANDS: Readonly<Record<Command, CommandRow>> = {
  get: { minArguments: 1, maxArguments: Infinity, takes: "at least one key", run: get },
  history: oneArgument("one key", history),
  diff: noArguments(diff),
  range: { minArguments: 0, maxArguments: 2, takes: "at most two keys", run: range },
  count: { minArguments: 0, maxArguments: 2, takes: "at most two keys", run: count },
  head: noArguments(head),
  watch: { minArguments: 0, maxArguments: Infinity, takes: "keys", run: watch },
  verify: oneArgument("one file", verify),
  vectors: {
    ...{ minArguments: 1, maxArguments: Infinity, takes: "at least one file" },
    run: (files, _, json) => vectors(files, json),
  },
  "eth balance": oneArgument("one address", account),
  "eth block": { minArguments: 0, maxArguments: 1, takes: "one block", run: block },
  "eth tx": oneArgument("one hash", transaction),
  "eth receipt": oneArgument("one hash", receipt),
  "eth call": { ...CALLING, run: call },
  "eth estimate": { ...CALLING, run: estimate },
  "eth simulate": { ...CALLING, run: simulate },
  "eth logs": { minArguments: 0, maxArguments: Infinity, takes: "addresses", run: logs },
  "eth serve": noArguments(serve),
  "eth checkpoint": noArguments(checkpoint),
};

async function main(args: string[]): Promise<number> {
  let parsed;
  try {
    parsed = parse(args);
  } catch (error) {
    return usage(parseProblem(error as Error & { code?: unknown }));
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = commandOf(positionals);
  if (values.help) return say(helpOf(positionals));
  if (values.version) return say(VERSION);
  if (command === undefined) return usage("no command");
  if (!isCommand(command)) return usage(`no such command: ${withOrigins(command)}`);
  const { json, ...options } = values;
  const unknown = Object.keys(options).find((name) => !hasOption(command, name));
  if (unknown !== undefined) return usage(`${command} takes no --${unknown}`);
  const { minArguments, maxArguments, takes, run } = COMMANDS[command];
  if (rest.length < minArguments || rest.length > maxArguments) {
    return usage(`${command} takes ${takes}`);
  }
  try {
    return await run(rest, options, json);
  } catch (error) {
    printError(error, json);
    return exitCodeOf(error);
  }
}

/** The command, of which those about Ethereum have two words, and its arguments. */
function commandOf([first, ...rest]: string[]): string[] {
  const [second, ...more] = rest;
  if (first === "eth" && second !== undefined) return [`eth ${second}`, ...more];
  return first === undefined ? [] : [first, ...rest];
}

function say(line: string | SafeText): number {
  print(line);
  return EXIT.ok;
}

/** The message of `parseArgs`, which has several lines if a value begins with a dash. It then quotes only a known name. */
function parseProblem({ code, message }: { code?: unknown; message: string }): string | SafeText {
  const lines = code === "ERR_PARSE_ARGS_INVALID_OPTION_VALUE" ? message.split("\n") : [message];
  return joinLines(lines.map(withOrigins));
}

function usage(problem: string | SafeText): number {
  complain(text`${problem}\nTry: prooflight --help`);
  return EXIT.usage;
}

process.exitCode = await main(process.argv.slice(2));
